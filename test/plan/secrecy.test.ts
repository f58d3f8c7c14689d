import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/kubernetes.ts';
import { isOwnershipOnly } from '../../shared/plan/drift/differences.ts';
import { conceal, isConcealed } from '../../shared/plan/drift/secrecy.ts';
import { casesOf } from '../support/cases.ts';

const digest = 'serverless-reconciler/secret-digest';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

interface Case {
  readonly reason: string;
  readonly kind?: string;
  readonly path: string;
  readonly from?: Json;
  readonly to?: Json;
  readonly want: { readonly from?: Json | undefined; readonly to?: Json | undefined };
}

const cases: Record<string, Case> = {
  Value: {
    reason: 'conceals the value of a key of a Secret',
    kind: 'Secret',
    path: 'data.password',
    from: 'a',
    to: 'b',
    want: { from: '(secret)', to: '(secret changed)' },
  },
  Whole: {
    reason: 'conceals a Secret as a whole',
    kind: 'Secret',
    path: '',
    from: { data: { password: 'a' } },
    to: { data: { password: 'b' } },
    want: { from: '(secret)', to: '(secret changed)' },
  },
  NewField: {
    reason: 'conceals an unknown field of a Secret',
    kind: 'Secret',
    path: 'binaryData.x',
    from: 'a',
    want: { from: '(secret)', to: undefined },
  },
  Type: {
    reason: 'shows the type of a Secret',
    kind: 'Secret',
    path: 'type',
    from: 'Opaque',
    to: 'a/b',
    want: { from: 'Opaque', to: 'a/b' },
  },
  DigestElsewhere: {
    reason: 'conceals the digest of a Secret that the kind read, in any field',
    kind: 'Deployment',
    path: 'spec.template.metadata.annotations',
    from: { own: 'secret-sha256:a', other: 'a' },
    to: { own: 'x-secret-sha256:b', other: 'b' },
    want: { from: { own: '(secret)', other: 'a' }, to: { own: '(secret changed)', other: 'b' } },
  },
  DigestAlone: {
    reason: 'conceals such a digest in a new field',
    kind: 'Deployment',
    path: 'spec.template.metadata.annotations.own',
    to: 'secret-sha256:a',
    want: { from: undefined, to: '(secret changed)' },
  },
  DigestReplaced: {
    reason: 'conceals such a digest that replaces another value or is replaced by it',
    kind: 'Deployment',
    path: 'spec.template.metadata.annotations',
    from: { one: 'secret-sha256:a', two: 'a' },
    to: { one: 'b', two: 'secret-sha256:b' },
    want: {
      from: { one: '(secret)', two: '(secret)' },
      to: { one: '(secret changed)', two: '(secret changed)' },
    },
  },
  Null: {
    reason: 'shows null',
    path: 'spec.settings',
    from: null,
    to: { a: null },
    want: { from: null, to: { a: null } },
  },
  ConfigMap: {
    reason: 'shows data of another type',
    kind: 'ConfigMap',
    path: 'data.a',
    from: 'a',
    to: 'b',
    want: { from: 'a', to: 'b' },
  },
  Digest: {
    reason: 'conceals a digest annotation on any object',
    path: `metadata.annotations.${digest}`,
    from: 'a',
    to: 'b',
    want: { from: '(secret)', to: '(secret changed)' },
  },
  DigestInside: {
    reason: 'conceals a digest annotation within an atomic value, and shows the rest',
    path: 'spec.template',
    from: { metadata: { annotations: { [digest]: 'a', team: 'x' } }, spec: {} },
    to: { metadata: { annotations: { [digest]: 'b' } }, spec: { containers: [{ name: 'c' }] } },
    want: {
      from: { metadata: { annotations: { [digest]: '(secret)', team: 'x' } }, spec: {} },
      to: {
        metadata: { annotations: { [digest]: '(secret changed)' } },
        spec: { containers: [{ name: 'c' }] },
      },
    },
  },
  DigestInList: {
    reason: 'conceals a digest annotation within a list',
    path: 'spec.templates',
    to: [{ metadata: { annotations: { [digest]: 'b' } } }, null],
    want: {
      from: undefined,
      to: [{ metadata: { annotations: { [digest]: '(secret changed)' } } }, null],
    },
  },
  LastApplied: {
    reason: 'conceals the last-applied annotation of kubectl, which repeats the object',
    path: 'metadata.annotations',
    from: { [lastApplied]: '{"metadata":{}}' },
    to: { team: 'a' },
    want: { from: { [lastApplied]: '(secret)' }, to: { team: 'a' } },
  },
  SimilarName: {
    reason: 'shows another annotation',
    path: `metadata.annotations.x-${digest}`,
    from: 'a',
    to: 'b',
    want: { from: 'a', to: 'b' },
  },
};

describe('conceal', () => {
  it.each(casesOf(cases))('%s', (_, { reason, kind = 'Deployment', want, ...given }) => {
    const difference = { from: undefined, to: undefined, ...given };
    expect(conceal(kind, difference), reason).toEqual({ path: given.path, ...want });
  });

  const value = fc.oneof(
    fc.constant(undefined),
    fc.constantFrom('a', 'b'),
    fc.record({
      annotations: fc.dictionary(fc.constantFrom(digest, 'x'), fc.constantFrom('a', 'b')),
    }),
  );
  const path = fc.constantFrom('', 'data', 'data.a', 'spec.template.metadata');

  it('C-11 takes time in proportion to the size of the values, whatever their depth', () => {
    const nested = (leaf: string): Json =>
      Array.from({ length: 24 }).reduce<Json>((inner) => ({ a: inner, b: 'x' }), leaf);
    const difference = { path: 'spec.settings', from: nested('a'), to: nested('b') };
    const { user } = process.threadCpuUsage();
    expect(conceal('Other', difference)).toEqual(difference);
    expect(process.threadCpuUsage().user - user).toBeLessThan(1_000_000);
  });

  it('shows equal values as equal, and absent values as absent', () => {
    fc.assert(
      fc.property(fc.constantFrom('Secret', 'Deployment'), path, value, value, (kind, at, a, b) => {
        const plain = { path: at, from: a, to: b, writer: undefined };
        const concealed = conceal(kind, plain);
        expect(isOwnershipOnly(concealed)).toBe(isOwnershipOnly(plain));
        expect([concealed.from, concealed.to].map((one) => one === undefined)).toEqual(
          [a, b].map((one) => one === undefined),
        );
      }),
    );
  });
});

describe('isConcealed', () => {
  it.each([
    { reason: 'true for a removed value', from: 'a', to: undefined, want: true },
    { reason: 'true for a new value', from: undefined, to: 'b', want: true },
    { reason: 'true for a changed value', from: 'a', to: 'b', want: true },
    { reason: 'false without a value', from: undefined, to: undefined, want: false },
  ])('$reason: $want', ({ from, to, want }) => {
    expect(isConcealed(conceal('Secret', { path: 'data.a', from, to }))).toBe(want);
    expect(isConcealed(conceal('ConfigMap', { path: 'data.a', from, to }))).toBe(false);
  });
});
