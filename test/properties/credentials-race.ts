import { statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret, service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { database } from '../../systems/database.ts';
import type { Api } from '../scenarios/api.ts';
import {
  base64,
  claimName,
  databaseSpec,
  dataOf,
  ownLabels,
  restored,
  secretName,
} from '../scenarios/databases.ts';
import { type Ledger, openLedger } from './credentials-ledger.ts';
import { permitted } from './disturb.ts';
import type { Testbed, TestNamespace } from './testbed.ts';
import type { Actors } from './timeline.ts';

/** Changes a Database `shop` and its objects as others may; a change that the server refuses is passed over. */
const actions: Readonly<Record<string, (api: Api, ledger: Ledger) => Promise<unknown>>> = {
  'create the Database': (api) => api.create(database, 'shop', { spec: databaseSpec() }),
  'delete the Database': (api) => api.remove(database, 'shop'),
  'delete the Database, not its children': (api) => api.remove(database, 'shop', 'Orphan'),
  'scale the Database': (api) => api.patch(database, 'shop', { spec: { replicas: 2 } }),
  'delete the Secret': (api) => api.remove(secret, secretName),
  'delete the StatefulSet': (api) => api.remove(statefulSet, 'shop'),
  'delete the claim': (api) => api.remove(persistentVolumeClaim, claimName),
  'restore the Secret': (api, ledger) => restore(api, { password: known(ledger) }),
  'restore the Secret without labels': (api, ledger) =>
    api.create(secret, secretName, restored({ password: known(ledger) }, {})),
  'restore the Secret without a password': (api) => restore(api, {}),
  'empty the password': (api) => api.patch(secret, secretName, { data: { password: '' } }),
  'take the password out': (api) => api.patch(secret, secretName, { data: { password: null } }),
  'strip the labels of the Secret': (api) =>
    api.patch(secret, secretName, { metadata: { labels: null } }),
  'strip the labels of the StatefulSet': (api) =>
    api.patch(statefulSet, 'shop', { metadata: { labels: null } }),
  'edit the username': (api) =>
    api.patch(secret, secretName, { data: { username: base64('root') } }),
};

export const actionNames = Object.keys(actions);

const restore = (api: Api, data: JsonObject) =>
  api.create(secret, secretName, restored({ username: base64('admin'), ...data }));

/** Returns the latest password, or an invented one if there was none. */
const known = ({ passwords }: Ledger): string => [...passwords].at(-1) ?? base64('p'.repeat(24));

/** Opens a Database with its writers and the ledger of its password. */
export function openActors(
  testbed: Testbed,
  ground: TestNamespace,
): Actors & { readonly ledger: Ledger } {
  const ledger = openLedger(ground.api);
  const act = (action: string) => async (api: Api) => actions[action]?.(api, ledger);
  return {
    testbed,
    ground,
    ledger,
    watch: ledger.run,
    others: ledger.others,
    actions: Object.fromEntries(actionNames.map((action) => [action, act(action)])),
  };
}

/** Restores by hand what no run restores. */
export async function heal({
  testbed,
  ground,
  ledger,
}: ReturnType<typeof openActors>): Promise<void> {
  const { api, run } = ground;
  await testbed.settle();
  await permitted(api.create(database, 'shop', { spec: databaseSpec() }));
  await testbed.settle();
  await run();
  await testbed.settle();
  const { uid } = (await api.get(database, 'shop')).metadata;
  for (const type of [statefulSet, service]) {
    const child = await api.find(type, 'shop');
    const isForeign = child?.metadata.ownerReferences?.every((owner) => owner.uid !== uid) ?? true;
    if (child !== undefined && isForeign) await api.remove(type, 'shop');
  }
  const live = await api.find(secret, secretName);
  if (live !== undefined && !dataOf(live).password) {
    await api.patch(secret, secretName, { data: { password: known(ledger) } });
  }
  await (live === undefined
    ? permitted(restore(api, { password: known(ledger) }))
    : api.patch(secret, secretName, { metadata: { labels: ownLabels } }));
  await testbed.settle();
  for (let times = 0; times < 3; times++) {
    await run();
    await testbed.settle();
  }
}
