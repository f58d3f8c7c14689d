import { afterAll, beforeAll, expect, test } from 'vitest';
import { child, configMap, defineKind, job, type Kind, Type } from '../../index.ts';
import { apply } from '../../infra/actions/apply.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { type Around, eachCall } from './calls.ts';
import type { Place } from './engine.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { runWith } from './run-with.ts';
import { useEngine } from './use-engine.ts';

/** A kind with a ConfigMap that needs a step. */
const wiki = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Wiki',
  plural: 'wikis',
  spec: Type.Object({}),
  samples: [],
  owns: [job, configMap],
  children({ name }) {
    const migrate = { type: job, name: `${name}-migrate` };
    const containers = [{ name: 'migrate', image: 'wiki:1' }];
    const spec = { template: { spec: { restartPolicy: 'Never' as const, containers } } };
    return [
      child(job, { ...migrate, step: 'once', body: { spec } }),
      child(configMap, { name, needs: [migrate], body: { data: { a: 'b' } } }),
    ];
  },
});

const engine = useEngine({ controllers: 'paused', install: [wiki] });
let recorded: ReturnType<typeof openRecordedPreview>;
beforeAll(() => {
  recorded = openRecordedPreview(engine);
});
afterAll(() => recorded.close());

/** Plans and applies an adoption, and wraps each call in `around`. */
async function adopt(
  { namespace }: Place,
  around: Around = (_, call) => call(),
  kind: Kind = foo,
): Promise<void> {
  const through = (run: Run): Run => runWith(run, { cluster: eachCall(run.cluster, around) });
  const options = { ...previewOptions, area: { kinds: [kind], namespaces: [namespace] } };
  const seen = await previewRun(through(recorded.begin()), [{}], { ...options, adopts: true });
  await apply(through(recorded.begin()), seen, { concurrency: 1 });
}

const spec = { deploymentName: 'a', replicas: 1 };

/** Replaces the Foo by another one of the same name, which leaves its Deployment without a living owner. */
async function replace({ api }: Place, keepsOwner: boolean): Promise<void> {
  await api.remove(foo, 'f', 'Orphan');
  if (!keepsOwner) {
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
  } else await api.patch(foo, 'f', { metadata: { finalizers: null } });
  await api.create(foo, 'f', { spec });
}

const ownersOf = async ({ api }: Place) =>
  (await api.get(deployment, 'a')).metadata.ownerReferences?.map(({ uid }) => uid);

test.each([true, false])(
  'an adoption gives no child to a resource that was replaced before any of its calls (former owner kept: %s)',
  async (keepsOwner) => {
    for (let nth = 0, calls = 1; nth < calls; nth++) {
      const place = await engine.place([foo]);
      await place.api.create(foo, 'f', { spec });
      await place.resync();
      await replace(place, keepsOwner);
      let call = 0;
      await adopt(place, async (_, act) => {
        if (call++ === nth) {
          await replace(place, keepsOwner);
          await adopt(place);
        }
        return act();
      });
      calls = call;
      const { uid } = (await place.api.get(foo, 'f')).metadata;
      expect(await ownersOf(place), `replaced before call ${nth} of ${calls}`).toEqual([uid]);
    }
  },
);

test('an adoption takes over a complete step together with the child that needs it', async () => {
  const place = await engine.place([wiki]);
  const { api } = place;
  const { controllers } = engine.cluster;
  const settle = async (): Promise<void> => {
    controllers.resume();
    await controllers.settled();
    controllers.pause();
  };
  await api.create(wiki, 'f', { spec: {} });
  await place.resync();
  await settle();
  await place.resync();
  await api.remove(wiki, 'f', 'Orphan');
  await settle();
  const { metadata } = await api.create(wiki, 'f', { spec: {} });
  await adopt(place, undefined, wiki);
  for (const [type, name] of [
    [job, 'f-migrate'],
    [configMap, 'f'],
  ] as const)
    expect((await api.get(type, name)).metadata.ownerReferences).toMatchObject([
      { uid: metadata.uid },
    ]);
});
