import { expect, test } from 'vitest';
import { child, defineKind, deployment, Type } from '../../index.ts';
import { createTestEnvironment } from '../../testing/index.ts';

const labels = { app: 'a' };
const kind = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Dinghy',
  plural: 'dinghies',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [deployment],
  children({ name }) {
    const containers = [{ name: 'a', image: 'a:1', env: [{ name: 'A&B', value: 'ours' }] }];
    const template = { metadata: { labels }, spec: { containers } };
    return [
      child(deployment, { name, body: { spec: { selector: { matchLabels: labels }, template } } }),
    ];
  },
});

test('an item is repaired even if the API server escapes its key in managedFields', async () => {
  await using env = await createTestEnvironment({ kinds: [kind] });
  await env.apply(kind, { name: 'one', spec: {} });
  await env.resync();
  const containers = [{ name: 'a', env: [{ name: 'A&B', value: 'theirs' }] }];
  const body = { spec: { template: { spec: { containers } } } };
  await env.patch(deployment, 'one', { as: 'strategic', body });
  const { outcomes } = await env.resync();
  expect(outcomes.updated).toBe(1);
  const live = await env.get(deployment, 'one');
  expect(JSON.stringify(live?.spec)).toContain('{"name":"A&B","value":"ours"}');
});
