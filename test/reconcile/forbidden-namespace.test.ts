import { beforeEach, expect, test } from 'vitest';
import { inspect } from '../../infra/actions/inspect.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import type { Place, Settings } from './engine.ts';
import { openRecordedPreview } from './recorded-preview.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine();
let [a, b]: Place[] = [];
beforeEach(async () => {
  [a, b] = await Promise.all([engine.place(), engine.place()]);
  for (const place of [a, b])
    await place?.api.create(foo, 'f', { spec: { deploymentName: 'f', replicas: 1 } });
  await resync();
  await engine.cluster.controllers.settled();
  await resync();
});

const resync = (settings: Partial<Settings> = {}) =>
  engine.run({}, { kinds: [foo], namespaces: [a!.namespace, b!.namespace], ...settings });

const message = 'it is forbidden there';

/** Refuses lists in the second namespace, as once its Role is gone. */
const without =
  (isRefused: (type: ResourceType) => boolean) =>
  (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => without(isRefused)(cluster.withTimeout(ms)),
    async list(type, selection, each) {
      if (selection.namespace === b!.namespace && isRefused(type))
        throw new KubeError(`list ${type.plural}`, { code: 403, status: { message } });
      return cluster.list(type, selection, each);
    },
  });

const scale = (place: Place | undefined, replicas: number) =>
  place!.api.patch(deployment, 'f', { spec: { replicas } });
const replicas = async (place: Place | undefined) =>
  ((await place!.api.get(deployment, 'f')).spec as { replicas: number }).replicas;

test.each([
  { refused: 'everything', is: () => true, kinds: ['foos.example.com'] },
  {
    refused: 'children',
    is: ({ kind }: ResourceType) => kind === 'Deployment',
    kinds: ['deployments.apps'],
  },
])(
  'a namespace that forbids lists of $refused keeps its drift, and no other does',
  async ({ is, kinds }) => {
    for (const place of [a, b]) await scale(place, 5);
    const { incomplete } = await resync({ through: without(is) });
    expect(incomplete).toMatchObject(kinds.map((kind) => ({ kind, namespace: b!.namespace })));
    expect([await replicas(a), await replicas(b)]).toEqual([1, 5]);

    expect((await resync()).incomplete).toEqual([]);
    expect([await replicas(a), await replicas(b)]).toEqual([1, 1]);
  },
);

test('the status of resources in other namespaces is shown', async () => {
  const { begin, close } = openRecordedPreview(engine);
  const run = begin();
  const area = { kinds: [foo], namespaces: [a!.namespace, b!.namespace], name: undefined };
  const failing = { ...run, cluster: without(() => true)(run.cluster) };
  const { resources, failures } = await inspect(failing, area, { concurrency: 8 });
  expect(resources.map(({ resource }) => resource.namespace)).toEqual([a!.namespace]);
  expect(failures).toEqual([expect.stringContaining(message), expect.stringContaining(message)]);
  await close();
});

test('a rollout begins nothing while the marks of a namespace cannot be read', async () => {
  const newer = {
    ...foo,
    desired: (resource: Parameters<typeof foo.desired>[0]) => {
      const desired = foo.desired(resource);
      if ('invalid' in desired) return desired;
      return desired.map((one) => ({ ...one, body: { spec: { ...spec(one.body), replicas: 0 } } }));
    },
  } as typeof foo;
  const spec = (body: object) => (body as { readonly spec: object }).spec;
  const rollout = { budget: () => 2, timeoutMs: 600_000, failures: 0 };
  const settings = { kinds: [newer], rollout };
  await resync({ ...settings, through: without(() => true) });
  expect([await replicas(a), await replicas(b)]).toEqual([1, 1]);

  await resync(settings);
  expect([await replicas(a), await replicas(b)].toSorted()).toEqual([0, 1]);
});
