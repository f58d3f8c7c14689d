import { expect, test } from 'vitest';
import { child, defineKind, deployment, labelValue, Type } from '../../index.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { policy } from '../properties/rollout-fleet.ts';
import { condition } from '../scenarios/resources.ts';
import { useEngine } from './use-engine.ts';

const versionOf = (container: { readonly imagePullPolicy?: 'IfNotPresent' | 'Always' }) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Solo',
    plural: 'solos',
    spec: Type.Object({}),
    samples: [{ name: 'solo', spec: {} }],
    owns: [deployment],
    children({ name }) {
      const matchLabels = { solo: labelValue(name) };
      const containers = [{ name: 'web', image: 'web:1', ...container }];
      const template = { metadata: { labels: matchLabels }, spec: { containers } };
      return [child(deployment, { name, body: { spec: { selector: { matchLabels }, template } } })];
    },
  });
const kind = versionOf({});
const engine = useEngine({ install: [kind] });

test.each([
  { value: 'IfNotPresent', restarts: 0, why: 'the default, which the server has set already' },
  { value: 'Always', restarts: 2, why: 'another value' },
] as const)('a version that sets $why restarts $restarts of two', async ({ value, restarts }) => {
  const { api, resync } = await engine.place([kind]);
  for (const name of ['a', 'b']) await api.create(kind, name, { spec: {} });
  await resync({ settleSeconds: 10 });
  const generations = async () =>
    (await api.list(deployment)).map(({ metadata }) => metadata.generation);
  expect(await generations()).toEqual([1, 1]);
  const later = { kinds: [versionOf({ imagePullPolicy: value })], settleSeconds: 10 };
  for (let resyncs = 0; resyncs < 3; resyncs++) await resync({ ...later, rollout: policy });
  expect((await generations()).filter((one) => one === 2)).toHaveLength(restarts);
  const pending = (await api.list(kind)).map((one) => condition(one, 'RolloutPending'));
  expect(pending.filter((one) => one !== undefined)).toHaveLength(restarts);
  const updates = (await api.list(eventType)).filter(({ reason }) => reason === 'Updated');
  const path = 'spec.template.spec.containers[name="web"].imagePullPolicy';
  const change = restarts > 0 ? `${path} (none) → "Always"` : `${path} taken over`;
  expect(updates.map(({ message }) => String(message).includes(change))).toEqual([true, true]);
  expect(
    (await api.list(deployment)).every(({ spec }) => JSON.stringify(spec).includes(value)),
  ).toBe(true);
});
