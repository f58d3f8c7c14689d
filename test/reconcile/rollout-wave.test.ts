import { expect, test } from 'vitest';
import { child, defineKind, deployment, Type } from '../../index.ts';
import { openDirectEngine } from '../properties/direct-engine.ts';
import { policy } from '../properties/rollout-fleet.ts';
import { eachCall } from './calls.ts';

const kind = defineKind({
  ...{ group: 'example.org', version: 'v1', kind: 'Proxy', plural: 'proxies', scope: 'Cluster' },
  spec: Type.Object({}),
  samples: [{ name: 'proxy', spec: {} }],
  owns: [deployment],
  children({ name }) {
    const labels = { proxy: name };
    const template = { metadata: { labels }, spec: { containers: [{ name, image: 'v1' }] } };
    const body = { spec: { selector: { matchLabels: labels }, template } };
    return [child(deployment, { name, namespace: 'default', body })];
  },
});

test('a cluster-scoped resource is logged by its name where its rollout halts', async () => {
  const lines: string[] = [];
  const { cluster, admin, run } = await openDirectEngine((line) => lines.push(line), [kind]);
  await admin.create(kind, 'web', { spec: {} });
  await run({}, { kinds: [kind] });
  const mark = { type: 'RolloutPending', status: 'True', reason: 'RollingOut', message: '' };
  const status = { conditions: [{ ...mark, lastTransitionTime: '2026-11-01T00:00:00Z' }] };
  await admin.patch(kind, 'web', { status }, { subresource: 'status' });
  await run(
    {},
    {
      ...{ kinds: [kind], rollout: policy },
      through: (port) =>
        eachCall(port, (what, act) =>
          what === 'apply Proxy/status web' ? Promise.reject(new Error('refused')) : act(),
        ),
    },
  );
  cluster.stop();
  const logged = lines.map((line) => JSON.parse(line) as { readonly message: string });
  expect(logged.filter(({ message }) => message.startsWith('rollout '))).toMatchObject([
    { message: 'rollout halted', kind: 'proxies.example.org', failed: ['web'] },
    { message: 'rollout mark not written', key: 'proxies.example.org web' },
  ]);
});
