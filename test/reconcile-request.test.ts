import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergeRequests,
  parseRequest,
  type ReconcileRequest,
  reconcileRequest,
  requestMessage,
} from '../shared/reconcile-request.ts';
import { effort } from './properties/runs.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** The definition: every request compared with every other one. */
function mergedByPairs(requests: readonly ReconcileRequest[]): readonly ReconcileRequest[] {
  const text = (request: ReconcileRequest): string =>
    JSON.stringify([request.kind, request.namespace, request.name]);
  const covers = (wide: ReconcileRequest, narrow: ReconcileRequest): boolean =>
    (['kind', 'namespace', 'name'] as const).every(
      (key) => wide[key] === undefined || wide[key] === narrow[key],
    );
  const minimal = (all: readonly ReconcileRequest[]): readonly ReconcileRequest[] => {
    const unique = all.filter((one, at) => all.findIndex((two) => text(two) === text(one)) === at);
    return unique.filter((one) => !unique.some((two) => two !== one && covers(two, one)));
  };
  const place = ({ kind, namespace }: ReconcileRequest): ReconcileRequest =>
    reconcileRequest(kind, namespace);
  const count = (all: readonly ReconcileRequest[], same: (one: ReconcileRequest) => boolean) =>
    all.filter(same).length;
  const named = minimal(requests);
  const listed = minimal(
    named.map((one) =>
      count(named, (two) => text(place(two)) === text(place(one))) > 8 ? place(one) : one,
    ),
  );
  const crowded = (all: readonly ReconcileRequest[], { kind }: ReconcileRequest): boolean =>
    count(all, (two) => two.kind === kind) > 32;
  const spread = minimal(listed.map((one) => (crowded(listed, one) ? place(one) : one)));
  return minimal(spread.map((one) => (crowded(spread, one) ? reconcileRequest(one.kind) : one)));
}

describe('parseRequest', () => {
  const cases: Record<string, { reason: string; given: unknown; want: ReconcileRequest | string }> =
    {
      All: { reason: 'no restriction', given: {}, want: {} },
      Kind: { reason: 'by kind', given: { kind: 'Foo' }, want: { kind: 'Foo' } },
      Plural: { reason: 'by plural', given: { kind: 'foos' }, want: { kind: 'foos' } },
      GroupResource: {
        reason: 'with its group',
        given: { kind: 'foos.example.com', namespace: 'team-a', name: 'a.b' },
        want: { kind: 'foos.example.com', namespace: 'team-a', name: 'a.b' },
      },
      Namespace: { reason: 'all kinds', given: { namespace: 'a' }, want: { namespace: 'a' } },
      UnknownField: {
        reason: 'a typing error must not broaden the request',
        given: { namspace: 'a' },
        want: 'unknown field "namspace": a reconcile request has kind, namespace and name',
      },
      WrongType: {
        reason: 'a number is not a name',
        given: { namespace: 5 },
        want: 'namespace must be a DNS label such as team-a, not 5',
      },
      Null: {
        reason: 'nor is null',
        given: { kind: null },
        want: 'kind must be Foo, foos or foos.example.com, not null',
      },
      Empty: {
        reason: 'an unset variable must not broaden the request',
        given: { namespace: '' },
        want: 'namespace must be a DNS label such as team-a, not ""',
      },
      NameAlone: {
        reason: 'of which kind',
        given: { namespace: 'a', name: 'x' },
        want: 'name requires kind',
      },
      NameWithoutNamespace: {
        reason: 'of a cluster-scoped kind',
        given: { kind: 'Team', name: 'x' },
        want: { kind: 'Team', name: 'x' },
      },
      Path: {
        reason: 'no path traversal',
        given: { kind: 'Foo', namespace: '../x' },
        want: 'namespace must be a DNS label such as team-a, not "../x"',
      },
      Deep: {
        reason: 'the echoed value is bounded in depth',
        given: { kind: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) },
        want: 'kind must be Foo, foos or foos.example.com, not a list',
      },
      Long: {
        reason: 'and in length',
        given: { namespace: 'x'.repeat(100_000) },
        want: `namespace must be a DNS label such as team-a, not "${'x'.repeat(79)}…"`,
      },
      Unprintable: {
        reason: 'and printed on one line, without bidi controls',
        given: { namespace: 'a\nb\u202Ec\u009Bd' },
        want: 'namespace must be a DNS label such as team-a, not "a\\nb\\u202ec\\u009bd"',
      },
      List: {
        reason: 'one request only',
        given: [],
        want: 'a reconcile request must be an object with kind, namespace and name, each optional',
      },
    };
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(parseRequest(given), reason).toEqual(want);
  });

  it('reads back what a message carries', () => {
    expect(requestMessage({ namespace: 'a' })).toEqual({ version: 1, scope: { namespace: 'a' } });
  });
});

describe('mergeRequests', () => {
  const foo = { kind: 'foos', namespace: 'a', name: 'x' };
  const cases: Record<
    string,
    { reason: string; given: ReconcileRequest[]; want: ReconcileRequest[] }
  > = {
    None: { reason: 'nothing to do', given: [], want: [] },
    Duplicates: { reason: 'one call suffices', given: [foo, { ...foo }], want: [foo] },
    Siblings: {
      reason: 'two names stay two',
      given: [foo, { ...foo, name: 'y' }],
      want: [foo, { ...foo, name: 'y' }],
    },
    NamespaceOfKind: {
      reason: 'absorbs the names of its kind, not of another',
      given: [foo, { kind: 'bars', namespace: 'a', name: 'x' }, { kind: 'foos', namespace: 'a' }],
      want: [
        { kind: 'bars', namespace: 'a', name: 'x' },
        { kind: 'foos', namespace: 'a' },
      ],
    },
    Namespace: {
      reason: 'absorbs every kind in it, not another namespace',
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
    All: { reason: 'absorbs all', given: [foo, { namespace: 'b' }, {}, {}], want: [{}] },
    ManyPlaces: {
      reason: 'more than 32 of a kind become its namespaces',
      given: numbers(33).map((n) => ({ ...foo, namespace: `ns-${n % 5}`, name: `x-${n}` })),
      want: numbers(5).map((n) => ({ kind: 'foos', namespace: `ns-${n}` })),
    },
    ManyNamespaces: {
      reason: 'and more than 32 namespaces the whole kind, another kind stays',
      given: [
        { ...foo, kind: 'bars' },
        ...numbers(33).map((n) => ({ ...foo, namespace: `ns-${n}` })),
      ],
      want: [{ ...foo, kind: 'bars' }, { kind: 'foos' }],
    },
  };
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(mergeRequests(given), reason).toEqual(want);
  });

  it('takes 40,000 requests in half a second', () => {
    const requests = numbers(40_000).map((n) => ({
      kind: `kind-${n % 2000}`,
      namespace: 'a',
      name: `x-${n}`,
    }));
    const before = process.threadCpuUsage();
    expect(mergeRequests(requests)).toHaveLength(2000);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(0.5);
  });

  it('equals a pairwise comparison', () => {
    const of = (values: readonly string[]) => fc.constantFrom(undefined, ...values);
    const some = (prefix: string, count: number) => numbers(count).map((n) => `${prefix}-${n}`);
    const request = fc
      .tuple(of(some('kind', 3)), of(some('ns', 6)), of(some('x', 12)))
      .map((parts) => reconcileRequest(...parts));
    const requests = fc.array(request, { maxLength: 100, size: 'max' });
    fc.assert(
      fc.property(requests, (given) => {
        expect(mergeRequests(given)).toEqual(mergedByPairs(given));
      }),
      effort(2000),
    );
  });

  it('covers the input without a redundant request', () => {
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
    const selects = (request: ReconcileRequest, key: Required<ReconcileRequest>): boolean =>
      Object.entries(request).every(
        ([field, value]) => key[field as keyof ReconcileRequest] === value,
      );
    const keys = ['foos', 'bars', 'other'].flatMap((kind) =>
      ['a', 'b', 'c'].flatMap((namespace) =>
        ['x', 'y', 'z'].map((name) => ({ kind, namespace, name })),
      ),
    );
    const selected = (of: readonly ReconcileRequest[]) =>
      keys.filter((k) => of.some((s) => selects(s, k)));
    fc.assert(
      fc.property(scopes, (given) => {
        const merged = mergeRequests(given);
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
