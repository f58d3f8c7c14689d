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
import { casesOf } from './support/cases.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** Reference implementation: compares every request with every other one. */
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
      All: { reason: 'an empty request covers everything', given: {}, want: {} },
      Kind: {
        reason: 'a kind is named by its kind',
        given: { kind: 'Foo' },
        want: { kind: 'Foo' },
      },
      Plural: {
        reason: 'a kind is named by its plural',
        given: { kind: 'foos' },
        want: { kind: 'foos' },
      },
      GroupResource: {
        reason: 'a kind is named by its plural and group',
        given: { kind: 'foos.example.com', namespace: 'team-a', name: 'a.b' },
        want: { kind: 'foos.example.com', namespace: 'team-a', name: 'a.b' },
      },
      Namespace: {
        reason: 'a namespace alone covers all kinds',
        given: { namespace: 'a' },
        want: { namespace: 'a' },
      },
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
        reason: 'null is not a name',
        given: { kind: null },
        want: 'kind must be Foo, foos or foos.example.com, not null',
      },
      Empty: {
        reason: 'an unset variable must not broaden the request',
        given: { namespace: '' },
        want: 'namespace must be a DNS label such as team-a, not ""',
      },
      NameAlone: {
        reason: 'a name without a kind is ambiguous',
        given: { namespace: 'a', name: 'x' },
        want: 'name requires kind',
      },
      NameWithoutNamespace: {
        reason: 'a cluster-scoped resource has no namespace',
        given: { kind: 'Team', name: 'x' },
        want: { kind: 'Team', name: 'x' },
      },
      Path: {
        reason: 'a name must not traverse paths',
        given: { kind: 'Foo', namespace: '../x' },
        want: 'namespace must be a DNS label such as team-a, not "../x"',
      },
      Deep: {
        reason: 'the error shows a bounded depth of the value',
        given: { kind: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) },
        want: 'kind must be Foo, foos or foos.example.com, not a list',
      },
      Long: {
        reason: 'the error shows a bounded length of the value',
        given: { namespace: 'x'.repeat(100_000) },
        want: `namespace must be a DNS label such as team-a, not "${'x'.repeat(79)}…"`,
      },
      Unprintable: {
        reason: 'the error shows the value on one line, without bidi controls',
        given: { namespace: 'a\nb\u202Ec\u009Bd' },
        want: 'namespace must be a DNS label such as team-a, not "a\\nb\\u202ec\\u009bd"',
      },
      List: {
        reason: 'a list of requests is not a request',
        given: [],
        want: 'a reconcile request must be an object with kind, namespace and name, each optional',
      },
    };
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(parseRequest(given)).toEqual(want);
  });

  it('is written to a message as the request of version 1', () => {
    expect(requestMessage({ namespace: 'a' })).toEqual({ version: 1, request: { namespace: 'a' } });
  });
});

describe('mergeRequests', () => {
  const foo = { kind: 'foos', namespace: 'a', name: 'x' };
  const cases: Record<
    string,
    { reason: string; given: ReconcileRequest[]; want: ReconcileRequest[] }
  > = {
    None: { reason: 'no requests are merged into none', given: [], want: [] },
    Duplicates: { reason: 'equal requests become one', given: [foo, { ...foo }], want: [foo] },
    Siblings: {
      reason: 'requests for two names are kept',
      given: [foo, { ...foo, name: 'y' }],
      want: [foo, { ...foo, name: 'y' }],
    },
    NamespaceOfKind: {
      reason: 'a namespace of a kind absorbs the names of that kind only',
      given: [foo, { kind: 'bars', namespace: 'a', name: 'x' }, { kind: 'foos', namespace: 'a' }],
      want: [
        { kind: 'bars', namespace: 'a', name: 'x' },
        { kind: 'foos', namespace: 'a' },
      ],
    },
    Namespace: {
      reason: 'a namespace absorbs every kind in it, but no other namespace',
      given: [{ namespace: 'a' }, foo, { ...foo, namespace: 'b' }],
      want: [{ namespace: 'a' }, { ...foo, namespace: 'b' }],
    },
    Many: {
      reason: 'more than eight names cost less as one list',
      given: [...'abcdefghi'].map((name) => ({ ...foo, name })),
      want: [{ kind: 'foos', namespace: 'a' }],
    },
    AFew: {
      reason: 'eight names are read one by one',
      given: [...'abcdefgh'].map((name) => ({ ...foo, name })),
      want: [...'abcdefgh'].map((name) => ({ ...foo, name })),
    },
    All: {
      reason: 'an empty request absorbs all other requests',
      given: [foo, { namespace: 'b' }, {}, {}],
      want: [{}],
    },
  };
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(mergeRequests(given)).toEqual(want);
  });

  it('merges 40,000 requests within half a second', () => {
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

  it('gives the same result as a pairwise comparison', () => {
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

  it('covers the same resources as its input, without a redundant request', () => {
    const of = (...values: string[]) => fc.constantFrom(undefined, ...values);
    const reconcileRequests = fc.array(
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
      fc.property(reconcileRequests, (given) => {
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
