import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { horizontalPodAutoscaler } from '../../shared/kinds/child-types/small-groups.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';
import { leaks, listOf } from '../reconcile/admission.ts';
import { eachCall } from '../reconcile/calls.ts';
import { faultsIn, look } from '../reconcile/desired.ts';
import type { Api } from '../scenarios/api.ts';
import { foreignDeployment, foreignService } from '../scenarios/resources.ts';
import { kindsFor } from '../support/config.ts';
import { effort, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed } from './testbed.ts';

const containerApp = kindsFor({
  authUrl: 'https://auth.example.com/check',
  ingressClass: 'nginx',
}).find(({ kind }) => kind === 'ContainerApp') as Kind;

let testbed: Testbed;
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [containerApp] });
});
afterAll(() => testbed.stop());

const list = { '/': [], '/a': ['u'], '/a/b': [] };
const spec = { image: 'nginx', minReplicas: 1, maxReplicas: 3 };

const usurp = (type: ResourceType, fields: object) => async (api: Api) => {
  await api.remove(type, 'shop').catch(() => undefined);
  await api.create(type, 'shop', fields as never);
};
const disown = (type: ResourceType) => (api: Api) =>
  api.patch(type, 'shop', { metadata: { ownerReferences: null } });
const remove = (type: ResourceType) => (api: Api) => api.remove(type, 'shop');

const actions: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
  'the Deployment is replaced': usurp(deployment, foreignDeployment()),
  'the Deployment is orphaned': disown(deployment),
  'the Deployment is deleted': remove(deployment),
  'the Service is replaced': usurp(service, foreignService()),
  'the Service is orphaned': disown(service),
  'the Service is deleted': remove(service),
  'the autoscaler is deleted': remove(horizontalPodAutoscaler),
  'endpoints are removed': (api) => api.patch(containerApp, 'shop', { spec: { endpoints: [] } }),
  'endpoints are added': (api) =>
    api.patch(containerApp, 'shop', { spec: { endpoints: listOf(list) } }),
};

const actors: readonly (readonly [actor: ResourceType, target: ResourceType])[] = [
  [horizontalPodAutoscaler, deployment],
  [ingress, service],
];

/** Lists our children whose target is a foreign object. */
async function astray(api: Api): Promise<readonly string[]> {
  const found: string[] = [];
  const uid = (await api.get(containerApp, 'shop')).metadata.uid;
  for (const [actor, type] of actors) {
    const target = await api.find(type, 'shop');
    if (target === undefined || target.metadata.ownerReferences?.[0]?.uid === uid) continue;
    found.push(...(await api.list(actor)).map(({ metadata }) => `${actor.kind} ${metadata.name}`));
  }
  return found;
}

test(
  'C-6 whatever happens to targets, no child of ours acts on a foreign target after a run',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(actions)), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (script, begun) => {
          const { api, run, close } = await testbed.open();
          const wrong: string[] = [];
          const watched = () =>
            run({
              through: (port) =>
                eachCall(port, async (what, call) => {
                  const before = await astray(api);
                  const response = await call();
                  if (!/^(apply|patch|remove) /.test(what)) return response;
                  const anew = (await astray(api)).filter((one) => !before.includes(one));
                  const open = leaks(await api.list(ingress), [list, {}]);
                  wrong.push(...[...anew, ...open].map((one) => `${what}: ${one}`));
                  return response;
                }),
            });
          await api.create(containerApp, 'shop', { spec: { ...spec, endpoints: listOf(list) } });
          if (begun) await run();
          for (const action of script) {
            await actions[action]?.(api).catch(() => undefined);
            await testbed.settle();
            await watched();
            expect(await astray(api), action).toEqual([]);
          }
          expect(wrong).toEqual([]);
          // A further run writes nothing.
          const { outcomes } = await run();
          expect([outcomes.created, outcomes.updated, outcomes.deleted]).toEqual([0, 0, 0]);
          for (const type of [deployment, service]) await remove(type)(api).catch(() => undefined);
          for (let runs = 0; runs < 3; runs++) {
            await testbed.settle();
            await run();
          }
          expect(faultsIn(await look(api, [containerApp]))).toEqual([]);
          await close();
        },
      ),
      effort(40),
    ),
  testTimeoutMs,
);
