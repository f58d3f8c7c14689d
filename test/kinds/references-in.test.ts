import { describe, expect, expectTypeOf, it } from 'vitest';
import { configMap, defineKind, namespace, secret, selects, Type } from '../../index.ts';
import { rulesFor } from '../../infra/generate/rbac.ts';
import type { ReadDefinition } from '../../shared/kinds/reads.ts';
import { keyOfReference } from '../../shared/plan/observed/world.ts';

type Read = ReadDefinition<unknown>;

const kindReading = (it: Read, scope: 'Namespaced' | 'Cluster' = 'Namespaced') =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Board',
    plural: 'boards',
    scope,
    spec: Type.Object({}),
    samples: [],
    owns: [],
    reads: { it },
    children: () => [],
  });

const resource = {
  name: 'r',
  namespace: 'team',
  uid: 'u',
  createdAt: '2026-01-01T00:00:00Z',
  spec: {},
};
const reader = { namespace: 'team', resource: 'boards.example.org' };
const selector = () => ({ matchLabels: { app: 'shop' } });
const other = { namespace: 'other', name: 'c' };

const keysOf = (read: Read) => {
  const found = kindReading(read).references(resource);
  return 'invalid' in found ? found.invalid : found.map(keyOfReference);
};

describe('the objects that a kind reads', () => {
  it.each<[string, Read, readonly string[]]>([
    [
      'by labels in its own namespace',
      { type: configMap, selector },
      ['configmaps team/(app=shop)'],
    ],
    [
      'by labels in namespaces that the kind names, in their order',
      { type: configMap, selector, from: ['b', 'a', 'b'] },
      ['configmaps a/(app=shop)', 'configmaps b/(app=shop)'],
    ],
    [
      'by labels in all namespaces',
      { type: configMap, selector, from: 'all' },
      ['configmaps (app=shop)'],
    ],
    [
      'by labels wherever it is granted',
      { type: configMap, selector, from: 'granted' },
      ['configmaps (app=shop) for team/boards.example.org'],
    ],
    [
      'by a selector that finds everything',
      { type: configMap, selector: () => ({}) },
      ['configmaps team/(any labels)'],
    ],
    ['by labels, none without a selector', { type: configMap, selector: () => undefined }, []],
    [
      'by name in its own namespace, without a grant',
      { type: secret, name: () => 'c', from: 'granted' },
      ['secrets team/c'],
    ],
    [
      'by name in another namespace, with a grant',
      { type: secret, names: () => [other, { ...other, namespace: 'team' }], from: 'granted' },
      ['secrets other/c for team/boards.example.org', 'secrets team/c'],
    ],
    [
      'by name in a namespace that the kind names',
      { type: configMap, name: () => other, from: ['other'] },
      ['configmaps other/c'],
    ],
  ])('%s', (_, read, keys) => {
    expect(keysOf(read)).toEqual(keys);
  });

  it.each<[string, Read, string]>([
    [
      'a namespace that the kind does not name',
      { type: configMap, name: () => other, from: ['third'] },
      'ConfigMap other/c is not in a namespace that the kind reads (reads.it)',
    ],
    [
      'its own namespace, if the kind names others',
      { type: configMap, name: () => 'c', from: ['third'] },
      'ConfigMap c is not in a namespace that the kind reads (reads.it)',
    ],
    [
      'an illegal selector',
      { type: configMap, selector: () => ({ matchLabels: { 'a b': '' } }) },
      'the label selector is invalid: "a b" is not a valid label key (reads.it)',
    ],
  ])('make the spec invalid for %s', (_, read, invalid) => {
    expect(keysOf(read)).toBe(invalid);
  });

  it('cannot be in another namespace unless the kind allows that', () => {
    expect(() => keysOf({ type: configMap, name: () => other })).toThrow('return the name alone');
  });

  it('may be listed by the functions, and an event about one leads to a run', () => {
    const kind = kindReading({ type: secret, selector });
    expect(rulesFor([kind])).toContainEqual({
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['get', 'list'],
    });
    expect(kind.refersTo).toEqual([secret]);
  });

  it('are named together with the resources that need a grant', () => {
    const found = kindReading({ type: configMap, selector, from: 'granted' }).references(resource);
    expect(found).toEqual([expect.objectContaining({ namespace: '', reader })]);
  });
});

describe('the objects that children() receives for a selector', () => {
  it('is a list of objects with their namespaces', () => {
    const received: unknown[] = [];
    const kind = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Board',
      plural: 'boards',
      spec: Type.Object({}),
      samples: [],
      owns: [],
      reads: { some: { type: configMap, selector, from: ['a', 'b'] } },
      children({ reads }) {
        expectTypeOf(reads.some[0]?.namespace).toEqualTypeOf<string | undefined>();
        expectTypeOf(reads.some[0]?.data).toEqualTypeOf<
          Readonly<Record<string, string>> | undefined
        >();
        received.push(reads.some);
        return [];
      },
    });
    const itemIn = (namespace: string) => ({ name: 'c', namespace, digest: 'd' });
    kind.desired(resource, ({ namespace: place }) => ({
      name: '',
      digest: '',
      items: [itemIn(place)],
    }));
    kind.desired(resource, () => undefined);
    expect(received).toEqual([[itemIn('a'), itemIn('b')], []]);
  });
});

describe('a definition', () => {
  it.each<[string, unknown, string]>([
    [
      'Secrets of all namespaces',
      { type: secret, selector, from: 'all' },
      ": Secrets of other namespaces are read only with from: 'granted'",
    ],
    [
      'no place',
      { type: configMap, selector, from: [] },
      ": from must be a list of namespaces, 'all' or 'granted'",
    ],
    [
      'an empty name of a namespace, which would select objects of all',
      { type: configMap, selector, from: ['a', ''] },
      ": from must be a list of namespaces, 'all' or 'granted'",
    ],
    [
      'names and a selector',
      { type: configMap, selector, name: () => 'c' },
      ': it has more than one of `name`, `names` and `selector`; keep one',
    ],
  ])('is refused with %s', (_, read, problem) => {
    expect(() => kindReading(read as Read)).toThrow(`reads.it${problem}`);
  });

  it.each<[string, Read, string]>([
    ['no place', { type: configMap, selector }, 'a cluster-scoped resource has no namespace'],
    [
      'a place for a cluster-scoped type',
      { type: namespace, selector, from: 'all' },
      "its type is cluster-scoped; remove 'from'",
    ],
  ])('of a cluster-scoped kind is refused with %s', (_, read, problem) => {
    expect(() => kindReading(read, 'Cluster')).toThrow(problem);
  });

  it('of a cluster-scoped kind may select cluster-scoped objects', () => {
    const kind = kindReading({ type: namespace, selector }, 'Cluster');
    expect(kind.references({ ...resource, namespace: '' })).toEqual([
      expect.objectContaining({ namespace: '', name: '(app=shop)' }),
    ]);
  });
});

describe('a selector that a kind applies', () => {
  const red = { colour: 'red' };
  it.each([
    [undefined, red, false],
    [{}, undefined, true],
    [{ matchLabels: red }, red, true],
    [{ matchLabels: red }, undefined, false],
    [{ matchExpressions: [{ key: 'colour', operator: 'NotIn', values: ['red'] }] }, red, false],
    [{ matchExpressions: [{ key: 'colour', operator: 'Exists' }] }, red, true],
  ])('%j selects an object with labels %j: %j', (given, labels, want) => {
    expect(selects(given, labels)).toBe(want);
  });
});
