import { expect } from 'vitest';
import { deployment, statefulSet } from '../../../shared/kinds/child-types/apps.ts';
import { persistentVolumeClaim, secret } from '../../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { database } from '../../../systems/database.ts';
import { website } from '../../../systems/website.ts';
import { runAlone } from '../../cli/command-runner.ts';
import { kinds } from '../../support/config.ts';
import { childTypes } from '../../support/observe.ts';
import { type Live, openApi } from '../api.ts';
import { backUp, type Keeps, restore } from '../backup.ts';
import { namespaceType } from '../built-in-kinds.ts';
import { claimName, newDatabase, newVolume } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { authUrl } from '../functions.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition } from '../resources.ts';

/** Data first, custom resources last, as Velero restores them. */
const types = [
  persistentVolumeClaim,
  secret,
  ...childTypes.filter((type) => type !== secret),
  ...kinds,
];

const command = (place: Place, ...argv: readonly string[]) =>
  runAlone(argv, {
    home: '/nonexistent',
    env: { ...place.stage.env, AUTH_URL: authUrl, SETTLE_SECONDS: '60' },
    now: () => new Date(),
  });

async function renewNamespace({ stage, namespace }: Place): Promise<void> {
  const cluster = openApi(stage.admin);
  await cluster.remove(namespaceType, namespace);
  await eventually(async () => {
    if ((await cluster.find(namespaceType, namespace)) !== undefined)
      throw new Error('still there');
  }, 120_000);
  await cluster.create(namespaceType, namespace, {});
}

const templateOf = ({ spec }: Live) => (spec as JsonObject).template;

/** Restores a namespace, adopts its children, and expects everything to be as before. */
async function play(place: Place, keeps: Keeps): Promise<void> {
  const { api, namespace } = place;
  await newDatabase(place);
  for (const kind of kinds.filter((one) => one !== database)) {
    const spec = kind.samples[0]?.spec as JsonObject;
    const port = kind === website ? { nodePort: place.stage.nodePort() } : {};
    await api.create(kind, kind.kind.toLowerCase(), { spec: { ...spec, ...port } });
  }
  await place.converge();
  const saved = await backUp(api, types);
  await renewNamespace(place);
  await newVolume(place, claimName);
  await restore(
    api,
    saved.filter(({ live }) => live.metadata.name !== 'default'),
    keeps,
  );
  await place.resync();
  for (const kind of kinds) {
    const [live] = await api.list(kind);
    expect(condition(live as Live, 'Stalled')).toMatchObject({
      reason: 'ErrResourceExists',
      message: expect.stringContaining(
        `reconciler adopt ${kind.kind} ${live?.metadata.name} -n ${namespace}`,
      ),
    });
    expect(await place.events(live?.metadata.name ?? '', 'ErrResourceExists')).toHaveLength(1);
    const { code, out, err } = await command(place, 'adopt', kind.kind, '-n', namespace, '--yes');
    expect(code, `${out}${err}`).toBe(0);
  }
  // Without a resync: the command itself waits until they are ready.
  for (const kind of kinds)
    for (const live of await api.list(kind))
      expect(condition(live, 'Ready')).toMatchObject({ status: 'True' });
  const before = new Map(
    saved.map(({ type, live }) => [`${type.kind} ${live.metadata.name}`, live]),
  );
  for (const type of [deployment, statefulSet])
    for (const live of await api.list(type)) {
      const { name, generation } = live.metadata;
      expect(templateOf(live)).toEqual(templateOf(before.get(`${type.kind} ${name}`) as Live));
      expect(generation).toBe(1);
    }
  for (const live of await api.list(secret))
    expect(live.data).toEqual(before.get(`Secret ${live.metadata.name}`)?.data);
  await place.converge();
}

/** Restores from a backup, after which every object has another uid. */
export const restored: Scenarios = {
  'C-6 D-4 children restored by Velero are adopted, with pods and passwords unchanged': (place) =>
    play(place, { managedFields: true }),
  'C-6 D-4 children restored without managedFields are adopted, with pods and passwords unchanged':
    (place) => play(place, { managedFields: false }),
};
