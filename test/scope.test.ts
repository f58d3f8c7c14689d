import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeScopes, parseScope, type Scope, scopeMessage } from '../shared/scope.ts';

describe('parseScope', () => {
  const cases: Record<string, { reason: string; given: unknown; want: Scope | string }> = {
    All: { reason: 'nothing narrows', given: {}, want: {} },
    Kind: { reason: 'by kind', given: { kind: 'Foo' }, want: { kind: 'Foo' } },
    Plural: { reason: 'by plural', given: { kind: 'foos' }, want: { kind: 'foos' } },
    GroupResource: {
      reason: 'with its group',
      given: { kind: 'foos.example.com', namespace: 'team-a', name: 'a.b' },
      want: { kind: 'foos.example.com', namespace: 'team-a', name: 'a.b' },
    },
    Namespace: { reason: 'all kinds', given: { namespace: 'a' }, want: { namespace: 'a' } },
    UnknownField: {
      reason: 'a typing error must not widen the scope',
      given: { namspace: 'a' },
      want: 'unknown field "namspace": a scope has kind, namespace and name',
    },
    WrongType: {
      reason: 'no number is a name',
      given: { namespace: 5 },
      want: 'namespace must be a DNS label such as team-a, not 5',
    },
    Null: {
      reason: 'nor is null',
      given: { kind: null },
      want: 'kind must be Foo, foos or foos.example.com, not null',
    },
    Empty: {
      reason: 'an unset variable must not widen the scope',
      given: { namespace: '' },
      want: 'namespace must be a DNS label such as team-a, not ""',
    },
    NameAlone: {
      reason: 'of which kind',
      given: { namespace: 'a', name: 'x' },
      want: 'name needs kind and namespace beside it',
    },
    NameWithoutNamespace: {
      reason: 'in which namespace',
      given: { kind: 'Foo', name: 'x' },
      want: 'name needs kind and namespace beside it',
    },
    Path: {
      reason: 'no way out of a path',
      given: { kind: 'Foo', namespace: '../x' },
      want: 'namespace must be a DNS label such as team-a, not "../x"',
    },
    List: {
      reason: 'one scope only',
      given: [],
      want: 'a scope is an object with kind, namespace and name, each optional',
    },
  };
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(parseScope(given), reason).toEqual(want);
  });

  it('reads back what a message carries', () => {
    expect(scopeMessage({ namespace: 'a' })).toEqual({ version: 1, scope: { namespace: 'a' } });
  });
});

describe('mergeScopes', () => {
  const foo = { kind: 'foos', namespace: 'a', name: 'x' };
  const cases: Record<string, { reason: string; given: Scope[]; want: Scope[] }> = {
    None: { reason: 'nothing to do', given: [], want: [] },
    Duplicates: { reason: 'once is enough', given: [foo, { ...foo }], want: [foo] },
    Siblings: {
      reason: 'two names stay two',
      given: [foo, { ...foo, name: 'y' }],
      want: [foo, { ...foo, name: 'y' }],
    },
    NamespaceOfKind: {
      reason: 'swallows the names of its kind, not of another',
      given: [foo, { kind: 'bars', namespace: 'a', name: 'x' }, { kind: 'foos', namespace: 'a' }],
      want: [
        { kind: 'bars', namespace: 'a', name: 'x' },
        { kind: 'foos', namespace: 'a' },
      ],
    },
    Namespace: {
      reason: 'swallows every kind in it, not another namespace',
      given: [{ namespace: 'a' }, foo, { ...foo, namespace: 'b' }],
      want: [{ namespace: 'a' }, { ...foo, namespace: 'b' }],
    },
    Many: {
      reason: 'nine by name are fewer requests as one list',
      given: [...'abcdefghi'].map((name) => ({ ...foo, name })),
      want: [{ kind: 'foos', namespace: 'a' }],
    },
    AFew: {
      reason: 'eight stay',
      given: [...'abcdefgh'].map((name) => ({ ...foo, name })),
      want: [...'abcdefgh'].map((name) => ({ ...foo, name })),
    },
    All: { reason: 'swallows all', given: [foo, { namespace: 'b' }, {}, {}], want: [{}] },
  };
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(mergeScopes(given), reason).toEqual(want);
  });

  it('covers what was given, with no scope to spare', () => {
    const of = (...values: string[]) => fc.constantFrom(undefined, ...values);
    const scopes = fc.array(
      fc
        .tuple(of('foos', 'bars'), of('a', 'b'), of('x', 'y'))
        .map(([kind, namespace, name]) =>
          Object.fromEntries(
            Object.entries({ kind, namespace, name }).filter(([, value]) => value !== undefined),
          ),
        ),
    );
    const selects = (scope: Scope, key: Required<Scope>): boolean =>
      Object.entries(scope).every(([field, value]) => key[field as keyof Scope] === value);
    const keys = ['foos', 'bars', 'other'].flatMap((kind) =>
      ['a', 'b', 'c'].flatMap((namespace) =>
        ['x', 'y', 'z'].map((name) => ({ kind, namespace, name })),
      ),
    );
    const selected = (of: readonly Scope[]) => keys.filter((k) => of.some((s) => selects(s, k)));
    fc.assert(
      fc.property(scopes, (given) => {
        const merged = mergeScopes(given);
        expect(selected(merged)).toEqual(selected(given));
        for (const one of merged) {
          const others = merged.filter((other) => other !== one);
          expect(others.some((other) => selected([one]).every((k) => selects(other, k)))).toBe(
            false,
          );
        }
      }),
    );
  });
});
