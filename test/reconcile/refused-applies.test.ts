import { afterEach, describe, expect, it } from 'vitest';
import { child, defineKind, deployment, Type } from '../../index.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { useEngine, usePlace } from './use-engine.ts';

const labels = { app: 'a' };
const ours = { name: 'a', image: 'a:1' };
const sidecar = { name: 'sidecar', image: 's:1' };

/** The containers that the kind wants. */
let containers: readonly JsonObject[] = [ours];
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
      } as JsonObject,
    }),
  ],
});

const engine = useEngine({ controllers: 'paused', install: [boat] });
const place = usePlace(engine, [boat]);
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

describe('an apply that the server refuses', () => {
  it('because of our own value takes nothing of others out', async () => {
    await withSidecar();
    containers = [{ ...ours, imagePullPolicy: 'Sometimes' }];
    const { failures } = await place.resync();
    expect(failures).toMatchObject([{ reason: 'Invalid' }]);
    expect(await namesOfContainers()).toEqual(['sidecar', 'a']);
  });
});
