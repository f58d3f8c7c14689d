import { expect, test } from 'vitest';
import { child, configMap, defineKind, selects, Type } from '../../index.ts';
import { createTestEnvironment } from '../../testing/index.ts';
import { LabelSelector } from '../../types/index.ts';
import { useEngine } from './use-engine.ts';

/** Gives a ConfigMap the labels of the resource, and sorts notes into drawers by nested selectors. */
const shelfOf = (version: string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Shelf',
    plural: 'shelves',
    spec: Type.Object({ drawers: Type.Array(LabelSelector, { maxItems: 9 }) }),
    samples: [{ name: 'shelf', spec: { drawers: [{ matchLabels: { colour: 'red' } }] } }],
    owns: [configMap],
    reads: {
      notes: { type: configMap, selector: () => ({ matchLabels: { kind: 'note' } }) },
    },
    status: { team: Type.Optional(Type.String()) },
    statusOf: ({ labels: { team = 'none' } = {} }) => ({ team }),
    children: ({ name, labels, spec, reads: { notes } }) => [
      child(configMap, {
        name: `${name}-drawers`,
        labels: { ...labels, version },
        body: {
          data: Object.fromEntries(
            spec.drawers.map((selector, at) => [
              `drawer-${at}`,
              notes.flatMap((one) => (selects(selector, one.labels) ? one.name : [])).join(),
            ]),
          ),
        },
      }),
    ],
  });
const shelf = shelfOf('1');
const note = (name: string, colour: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { kind: 'note', colour } },
});
const spec = {
  drawers: [
    { matchLabels: { colour: 'red' } },
    { matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] },
  ],
};

test('children follow the labels of their resource, which change no generation', async () => {
  await using env = await createTestEnvironment({ kinds: [shelf] });
  const labelled = (labels: Readonly<Record<string, string>>) =>
    env.apply(shelf, { name: 'one', labels, spec });
  const made = async () => (await env.get(configMap, 'one-drawers'))?.metadata.labels;
  const { metadata } = await labelled({ team: 'a', 'app.kubernetes.io/instance': 'release' });
  await env.resync();
  expect(await made()).toMatchObject({ team: 'a', 'app.kubernetes.io/instance': 'one' });

  expect((await labelled({ team: 'b' })).metadata.generation).toBe(metadata.generation);
  const { reconcileRequests, report } = await env.deliver();
  expect(reconcileRequests).toEqual([
    { kind: 'shelves.example.org', namespace: 'default', name: 'one' },
  ]);
  expect(report?.origins).toMatchObject({ reference: 1, edit: 0, drift: 0, code: 0 });
  expect(await made()).toMatchObject({ team: 'b' });
  expect((await env.get(shelf, 'one'))?.status).toMatchObject({ team: 'b' });
  const [event, ...more] = await env.events(shelf, 'one');
  expect([event?.reason, more]).toEqual(['Updated', []]);

  await env.apply(shelf, { name: 'one', spec });
  await env.resync();
  expect(await made()).not.toHaveProperty('team');
  env.requests();
  await env.resync();
  expect(env.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
});

test('a kind applies selectors of its spec to what it reads, and follows the labels', async () => {
  await using env = await createTestEnvironment({ kinds: [shelf] });
  await env.apply(note('rose', 'red'));
  await env.apply(note('leaf', 'green'));
  await env.apply(shelf, { name: 'one', spec });
  await env.resync();
  const made = async () => (await env.get(configMap, 'one-drawers'))?.data;
  expect(await made()).toEqual({ 'drawer-0': 'rose', 'drawer-1': 'leaf' });
  await env.apply(note('leaf', 'red'));
  const { report } = await env.deliver();
  expect(report?.origins).toMatchObject({ reference: 1, code: 0 });
  expect(await made()).toEqual({ 'drawer-0': 'leaf,rose', 'drawer-1': '' });

  const illegal = { drawers: [{ matchLabels: { 'a b': 'c' } }] };
  await expect(env.apply(shelf, { name: 'one', spec: illegal })).rejects.toThrow(
    'keys must be names of at most 63 characters',
  );
});

const engine = useEngine({ controllers: 'paused', install: [shelf] });

test('a change of code counts as such after labels were edited, so that a rollout limits it', async () => {
  const { api, resync } = await engine.place([shelf]);
  await api.create(shelf, 'one', { spec, metadata: { labels: { team: 'a' } } });
  await resync();
  const label = (team: string) => api.patch(shelf, 'one', { metadata: { labels: { team } } });
  await label('b');
  expect((await resync()).origins).toMatchObject({ reference: 1, code: 0 });
  const next = { kinds: [shelfOf('2')] };
  expect((await resync(next)).origins).toMatchObject({ reference: 0, code: 1 });
  await label('c');
  expect((await resync(next)).origins).toMatchObject({ reference: 1, code: 0 });
});
