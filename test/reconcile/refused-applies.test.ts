import { afterEach, describe, expect, it } from 'vitest';
import { type api, child, defineKind, deployment, ingress, secret, Type } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { type Around, eachCall } from './calls.ts';
import type { Settings } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const labels = { app: 'a' };
const ours = { name: 'a', image: 'a:1' };
const sidecar = { name: 'sidecar', image: 's:1' };

/** The containers that the kind desires. */
let containers: readonly api.Container[] = [ours];
const boat = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Boat',
  plural: 'boats',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [deployment],
  children: ({ name }) => [
    child(deployment, {
      name,
      body: {
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      },
    }),
  ],
});

const gate = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Gate',
  plural: 'gates',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [ingress],
  children({ name }) {
    const backend = { service: { name, port: { number: 80 } } };
    return [child(ingress, { name, body: { spec: { defaultBackend: backend } } })];
  },
});

const ring = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Ring',
  plural: 'rings',
  spec: Type.Object({ keys: Type.Array(Type.String()), team: Type.String() }),
  samples: [{ name: 'one', spec: { keys: ['a'], team: 'a' } }],
  owns: [secret],
  children: ({ name, spec: { keys, team } }) => [
    child(secret, { name, labels: { team }, body: {}, generated: { keys, usedBy: [] } }),
  ],
});

const engine = useEngine({ controllers: 'paused', install: [boat, gate, ring] });
const place = usePlace(engine, [boat, gate, ring]);
afterEach(() => {
  containers = [ours];
});

const namesOfContainers = async (): Promise<readonly unknown[]> => {
  const { spec } = (await place.api.get(deployment, 'one')) as unknown as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: typeof containers } };
    };
  };
  return spec.template.spec.containers.map(({ name }) => name);
};

/** A Boat with a sidecar that others added to its Deployment. */
async function withSidecar(): Promise<void> {
  await place.api.create(boat, 'one', { spec: {} });
  await place.resync();
  const patch = { spec: { template: { spec: { containers: [sidecar] } } } };
  await place.api.patch(deployment, 'one', patch, { as: 'strategic', manager: 'injector' });
  expect(await namesOfContainers()).toEqual(['sidecar', 'a']);
}

const outage = new KubeError('apply Deployment one', {
  code: 500,
  status: { reason: 'InternalError', message: 'Internal error occurred: failed calling webhook' },
});

/** A cluster that refuses the first apply of a Deployment. */
function refusingOnce(error: Error): Settings['through'] {
  let isOver = false;
  const around: Around = (what, call) => {
    if (isOver || what !== 'apply Deployment one') return call();
    isOver = true;
    return Promise.reject(error);
  };
  return (cluster) => eachCall(cluster, around);
}

describe('an apply that the server refuses', () => {
  it('because of our own value removes no field of others', async () => {
    await withSidecar();
    containers = [{ ...ours, imagePullPolicy: 'Sometimes' }];
    const { failures } = await place.resync();
    expect(failures).toMatchObject([{ reason: 'Invalid' }]);
    expect(await namesOfContainers()).toEqual(['sidecar', 'a']);
  });

  it('with a transient internal error removes no field of others', async () => {
    await withSidecar();
    containers = [ours, { name: 'b', image: 'b:1' }];
    const first = await place.resync({ through: refusingOnce(outage) });
    expect(first.failures).toMatchObject([{ reason: 'InternalError' }]);
    expect(await namesOfContainers()).toEqual(['sidecar', 'a']);
    await place.resync();
    expect(new Set(await namesOfContainers())).toEqual(new Set(['sidecar', 'a', 'b']));
  });

  it.each([
    ['names no field', 422, 'Invalid', {}],
    ['is a 403', 403, 'Forbidden', { field: 'spec.template.spec.containers[0].image' }],
  ])(
    'because of an admission policy removes no field of others, if the refusal %s',
    async (_, code, reason, where) => {
      await withSidecar();
      containers = [ours, { name: 'b', image: 'b:1' }];
      const words = 'no changes while a sidecar is present';
      const causes = [{ message: words, ...where }];
      const status = { reason, message: words, details: { causes } };
      const refusal = new KubeError('apply Deployment one', { code, status });
      const through = (cluster: Cluster): Cluster => ({
        ...cluster,
        withTimeout: (ms) => through(cluster.withTimeout(ms)),
        async apply(type, manifest, options) {
          if (type === deployment && manifest.metadata.name === 'one') throw refusal;
          return cluster.apply(type, manifest, options);
        },
        async patch(type, key, patch) {
          const isWithout = !JSON.stringify(patch.operations).includes(sidecar.name);
          if (type === deployment && !isWithout) throw refusal;
          return cluster.patch(type, key, patch);
        },
      });
      const { failures } = await place.resync({ through });
      expect(failures).toMatchObject([{ reason, message: expect.stringContaining(words) }]);
      expect(await namesOfContainers()).toEqual(['sidecar', 'a']);
    },
  );

  it.each([[['a']], [['a', 'b']]])(
    'because of a value in a Secret removes no generated data, with keys %j',
    async (keys) => {
      await place.api.create(ring, 'one', { spec: { keys: ['a'], team: 'a' } });
      await place.resync();
      const { data } = await place.api.get(secret, 'one');
      await place.api.patch(ring, 'one', { spec: { keys, team: 'b' } });
      const causes = [{ field: 'data[a]', message: 'too short' }];
      const status = { reason: 'Invalid', message: 'too short', details: { causes } };
      const through = (cluster: Cluster): Cluster => ({
        ...cluster,
        withTimeout: (ms) => through(cluster.withTimeout(ms)),
        async apply(type, manifest, options) {
          if (type === secret && !options.manager.endsWith('-generated'))
            throw new KubeError('apply Secret one', { code: 422, status });
          return cluster.apply(type, manifest, options);
        },
      });
      const { failures } = await place.resync({ through });
      expect(failures).toMatchObject([{ reason: 'Invalid' }]);
      expect((await place.api.get(secret, 'one')).data).toMatchObject(data as object);
    },
  );

  it('because of two equal items of ours writes nothing, and leaves nothing behind', async () => {
    await place.api.create(boat, 'one', { spec: {} });
    await place.resync();
    await place.api.patch(deployment, 'one', { spec: { replicas: 3 } }, { manager: 'scaler' });
    const before = await place.api.get(deployment, 'one');
    const [one, other] = ['1', '2'].map((value) => ({ name: 'LEVEL', value }));
    containers = [{ ...ours, env: [one, other] as api.EnvVar[] }];
    const { failures } = await place.resync();
    expect(failures).toMatchObject([{ message: expect.stringContaining('duplicate entries') }]);
    expect(await place.api.get(deployment, 'one')).toEqual(before);
  });

  it('removes no field from an Ingress, not even in the daily comparison', async () => {
    await place.api.create(gate, 'one', { spec: {} });
    await place.resync();
    const others = { service: null, resource: { apiGroup: 'x', kind: 'Y', name: 'z' } };
    await place.api.patch(ingress, 'one', { spec: { defaultBackend: others } });
    const before = await place.api.get(ingress, 'one');
    expect((await place.resync()).failures).toMatchObject([{ reason: 'Invalid' }]);
    const tomorrow = Date.now() + 24 * 3_600_000;
    const compared = await place.resync({
      now: () => new Date(tomorrow),
      deadline: tomorrow + 60_000,
    });
    expect(compared.failures).toMatchObject([{ reason: 'Invalid' }]);
    expect(await place.api.get(ingress, 'one')).toEqual(before);
  });
});
