import { expect, test } from 'vitest';
import { child, configMap, defineChildType, defineKind, Type } from '../../index.ts';
import { createTestEnvironment } from '../../testing/index.ts';
import { definitionOf } from '../operators/definition.ts';

const bucket = defineChildType<{ spec: { region: string } }>({
  group: 's3.example.com',
  version: 'v1',
  kind: 'Bucket',
  plural: 'buckets',
});

/** A kind that waits for a resource of another controller, and reads it to notice its status. */
const store = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Store',
  plural: 'stores',
  spec: Type.Object({}),
  samples: [{ name: 'store', spec: {} }],
  owns: [bucket, configMap],
  reads: { bucket: { type: bucket, name: ({ name }) => name } },
  children: ({ name }) => [
    child(bucket, { name, body: { spec: { region: 'a' } } }),
    child(configMap, {
      name,
      needs: [{ type: bucket, name, until: 'ready' }],
      body: { data: { done: 'yes' } },
    }),
  ],
});

test('the status of a custom child that the kind reads starts a run by its audit event', async () => {
  await using world = await createTestEnvironment({ kinds: [store] });
  await world.apply(definitionOf(bucket));
  await world.apply(store, { name: 'one', spec: {} });
  await world.resync();
  const status = (value: string) => ({ conditions: [{ type: 'Ready', status: value }] });
  const report = (value: string) =>
    world.patch(bucket, 'one', { body: { status: status(value) }, subresource: 'status' });
  await report('False');
  await world.resync();
  expect(await world.get(configMap, 'one')).toBeUndefined();
  await report('True');
  await world.deliver();
  expect(await world.get(configMap, 'one')).toBeDefined();
});
