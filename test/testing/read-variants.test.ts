import { expect, test } from 'vitest';
import { child, configMap, defineChildType, defineKind, job, Type } from '../../index.ts';
import { expectReliable } from '../../testing/index.ts';
import { variantsOf } from '../../testing/reliable/read-variants.ts';
import { definitionOf } from '../operators/definition.ts';

const server = defineChildType<{ spec: { port: number } }>({
  group: 'example.org',
  version: 'v1',
  kind: 'Server',
  plural: 'servers',
});
const port = (name: string, at: string, number: number, labels = {}, annotations = {}) => ({
  apiVersion: 'example.org/v1',
  kind: 'Server',
  spec: { port: number },
  metadata: { name, namespace: at, labels, annotations },
});
const given = [
  definitionOf(server),
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
  port('a', 'default', 1, { team: 'x' }),
  port('b', 'default', 2),
  port('a', 'other', 3, { team: 'x' }),
  port(
    'c',
    'other',
    4,
    { team: 'x' },
    { 'serverless-reconciler/readable-by': '*/clients.example.org' },
  ),
];
const kind = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Client',
  plural: 'clients',
  spec: Type.Object({ mode: Type.Enum(['on', 'off'], { default: 'on' }) }),
  samples: [{ name: 'one', spec: {} }],
  owns: [configMap, job],
  reads: {
    named: { type: server, name: () => 'a' },
    found: { type: server, selector: () => ({ matchLabels: { team: 'x' } }) },
    granted: { type: server, selector: () => ({ matchLabels: { team: 'x' } }), from: 'granted' },
  },
  children: ({ name, spec: { mode }, reads: { named } }) =>
    named === undefined ? [] : [child(configMap, { name, body: { data: { mode } } })],
});

test("expectReliable reads given objects of the resource's namespace, by name and by label, and granted ones of others", () => {
  const resource = {
    name: 'one',
    namespace: 'default',
    uid: 'u',
    createdAt: '2026-01-01T00:00:00Z',
    spec: { mode: 'on' },
  };
  const asGiven = variantsOf({ kind, given }, resource).at(-1);
  const [named, found, granted] = [...(asGiven?.values() ?? [])];
  expect(named).toMatchObject({ object: { name: 'a', spec: { port: 1 } } });
  expect(found).toMatchObject({ object: { items: [{ name: 'a', namespace: 'default' }] } });
  expect((found as { object?: { items?: unknown } }).object?.items).toHaveLength(1);
  expect(granted).toMatchObject({
    object: {
      items: [
        { name: 'a', namespace: 'default' },
        { name: 'c', namespace: 'other' },
      ],
    },
  });
});

test('expectReliable recognizes an effect of a field that depends on a given object', async () => {
  await expectReliable(kind, { given, seconds: 2, seed: 1 });
});
