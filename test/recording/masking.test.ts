import { expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { readObjectOf } from '../../shared/plan/observed/read-object.ts';
import { maskedText, recordedObject } from '../../shared/recording/masking.ts';

const salt = 'salt';
const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' };

const secretWith = (fields: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  ...fields,
});
const recorded = (fields: JsonObject, isReference = false) =>
  recordedObject(secret, secretWith(fields), { salt, isReference });
const masked = expect.stringMatching(/^masked:[\w-]{22}$/);

test.each<[string, JsonObject, JsonObject]>([
  ['each value of data, but not its name', { data: { a: 'eA==' } }, { data: { a: masked } }],
  ['a field that Secrets may have in the future', { more: { x: 'y' } }, { more: masked }],
  ['values that are no strings', { data: { a: { b: 'c' } } }, { data: { a: masked } }],
  ['stringData', { stringData: { a: 'x' } }, { stringData: masked }],
  [
    'neither type nor immutable',
    { type: 'Opaque', immutable: true },
    { type: 'Opaque', immutable: true },
  ],
  ['a type that is no string', { type: { a: 'b' } }, {}],
  ['data that is not a map', { data: ['eA=='] }, {}],
])('a recording masks, of a Secret, %s', (_, fields, expected) => {
  const { apiVersion, kind, metadata: kept, ...rest } = recorded(fields);
  expect({ apiVersion, kind, kept }).toEqual({ apiVersion: 'v1', kind: 'Secret', kept: metadata });
  expect(rest).toEqual(expected);
});

test('a recording masks annotations of a Secret', () => {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"a":"eA=="}}',
    note: 'x',
    'serverless-reconciler/salt': '0123456789abcdefghijkl',
  };
  const found = recorded({ metadata: { ...metadata, labels: { l: 'v' }, annotations } }).metadata;
  expect(found).toEqual({
    ...metadata,
    labels: { l: 'v' },
    annotations: Object.fromEntries(Object.keys(annotations).map((name) => [name, masked])),
  });
});

test('equal values have equal digests with the same salt', () => {
  expect(maskedText(salt, 'eA==')).toBe(maskedText(salt, 'eA=='));
  expect(maskedText(salt, 'eA==')).not.toBe(maskedText(salt, 'eQ=='));
  expect(maskedText(salt, 'eA==')).not.toBe(maskedText('another', 'eA=='));
  // Lone surrogates would all be equal in UTF-8.
  expect(maskedText(salt, '\ud800')).not.toBe(maskedText(salt, '\udc00'));
});

test('a recording keeps the digest that kinds receive only of a Secret that a kind may read', () => {
  const fields = { data: { a: 'eA==' } };
  const { digest } = readObjectOf(secret, secretWith(fields));
  expect(recorded(fields, true).digest).toBe(digest);
  expect(recorded(fields, false)).not.toHaveProperty('digest');
});

test('a recording cuts off a value that is nested deeper than a run reads', () => {
  let deep: JsonObject = {};
  for (let levels = 0; levels < 10_000; levels++) deep = { f: deep };
  const live = { ...secretWith({}), kind: 'Deployment', spec: deep };
  const kept = recordedObject(deployment, live, { salt, isReference: false });
  expect(JSON.stringify(kept)).toContain('"f":null');
  expect(
    JSON.stringify(recorded({ data: { a: deep }, metadata: { ...metadata, x: deep } })),
  ).toContain('masked:');
});

test('a recording does not mask other objects', () => {
  const live = { ...secretWith({ data: { a: 'b' } }), kind: 'ConfigMap' };
  expect(recordedObject(deployment, live, { salt, isReference: true })).toEqual(live);
});
