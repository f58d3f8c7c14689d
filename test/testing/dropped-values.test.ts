import { expect, test } from 'vitest';
import { child, defineKind, deployment, networkPolicy, Type } from '../../index.ts';
import { expectConverged } from '../../testing/index.ts';

const labels = { app: 'a' };
const wall = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Wall',
  plural: 'walls',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [deployment, networkPolicy],
  children: ({ name }) => [
    child(networkPolicy, {
      name,
      body: { spec: { podSelector: {}, policyTypes: ['Ingress'], ingress: [] } },
    }),
    child(deployment, {
      name,
      body: {
        spec: {
          paused: false,
          minReadySeconds: 0,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { hostNetwork: false, containers: [{ name: 'a', image: 'a:1', command: [] }] },
          },
        },
      },
    }),
  ],
});

test('empty values that the API server drops are changed and restored, too', async () => {
  const { skipped } = await expectConverged(wall);
  const left = skipped.flatMap(({ field, how }) => (how === 'changed' ? (field ?? []) : []));
  for (const field of ['spec.ingress', 'spec.paused', 'spec.minReadySeconds'])
    expect(left).not.toContain(field);
  expect(left.filter((field) => /hostNetwork|command/.test(field))).toEqual([]);
});
