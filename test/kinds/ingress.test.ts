import { describe, expect, it } from 'vitest';
import * as exposure from '../../shared/kinds/child-types/ingress.ts';
import {
  authUrlAnnotation,
  ingressFacts,
  pathMarker,
} from '../../shared/kinds/child-types/ingress.ts';
import type { Json, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';

const root = '/ns/app(?:/(.*))?$';
const a = '/ns/app/(a(?:/.*)?)$';
const b = '/ns/app/(b(?:/.*)?)$';
const ours = pathMarker('ours');
const older = '(?!~0123456789abcdef)';

/** Puts a marker into a pattern, after the prefix of the application. */
const withMarker = (marker: string, pattern: string): string =>
  pattern.replace('/app', `/app${marker}`);

const item = (path: string, service = 'shop') => ({
  path,
  backend: { service: { name: service } },
});
const rule = (...paths: readonly JsonObject[]) => ({ http: { paths } });
const factsOf = (...rules: readonly Json[]): JsonObject => ({ rules });

const live = (spec: unknown, annotations?: Record<string, string>): KubeObject =>
  ({
    metadata: { name: 'shop', ...(annotations && { annotations }) },
    spec,
  }) as unknown as KubeObject;

describe('the facts of a live Ingress are', () => {
  const rules = [rule(item(a))];
  it.each([
    ['its rules', live({ rules, ingressClassName: 'nginx' }), { rules }],
    [
      'the URL that authorizes requests',
      live({ rules }, { [authUrlAnnotation]: 'https://auth', other: 'x' }),
      { rules, authUrl: 'https://auth' },
    ],
    ['no rules if it has none', live({ ingressClassName: 'nginx' }), { rules: [] }],
    ['no rules if it has no spec', live(undefined), { rules: [] }],
    ['no rules if its spec is not a map', live(['rules']), { rules: [] }],
  ])('%s', (_, object, want) => {
    expect(ingressFacts(object)).toEqual({ ...want, addresses: [] });
  });
});

describe('an Ingress that requires authorization', () => {
  const authorized = { [authUrlAnnotation]: 'https://auth' };
  it.each([
    [undefined, true],
    [{ other: 'x' }, true],
    [authorized, false],
  ])('is recognized by the annotations %j', (annotations, isPublic) => {
    expect(exposure.isPublic({ ...(annotations && { annotations }) })).toBe(isPublic);
    const facts = ingressFacts(live({}, annotations));
    expect(facts.authUrl === undefined).toBe(isPublic);
  });
});

describe('the patterns of the paths', () => {
  const rules = [rule(item(a), {}), { host: 'x' }, rule(item(b))];

  it('are those of all rules; a rule or an item may have no path', () => {
    expect(exposure.patternsOf({ rules })).toEqual([a, b]);
    expect(exposure.patternsIn({ spec: { rules } })).toEqual([a, b]);
  });

  it('are unknown if the facts were not kept', () => {
    expect(exposure.patternsOf({})).toBeUndefined();
    expect(exposure.patternsOf({ rules: [] })).toEqual([]);
  });

  it('are none for fields without rules', () => {
    expect(exposure.patternsIn({})).toEqual([]);
    expect(exposure.patternsIn({ spec: {} })).toEqual([]);
  });
});

interface Written {
  readonly reason: string;
  /** The rules as the kind desires them. */
  readonly own: readonly JsonObject[];
  readonly paths: readonly string[];
  readonly facts?: JsonObject;
  readonly want: readonly JsonObject[];
}

const [ownA, ownB] = [withMarker(ours, a), withMarker(ours, b)];
const twoBackends = [
  { host: 'one', ...rule(item(ownA, 'one')) },
  { host: 'two', ...rule(item(ownB, 'two')) },
];
const written: Record<string, Written> = {
  Complete: {
    reason: 'all desired paths are sent as the kind wrote them, with several rules and backends',
    own: twoBackends,
    paths: [a, b],
    want: twoBackends,
  },
  Fewer: {
    reason: 'some paths are sent in the text of the kind, with the first rule and backend',
    own: [{ host: 'x', ...rule(item(ownA), item(ownB)) }],
    paths: [b],
    want: [{ host: 'x', ...rule(item(ownB)) }],
  },
  OneOfTwo: {
    reason: 'as many paths as are desired, but other ones, are not the complete set',
    own: [rule(item(ownA), item(ownB))],
    paths: [a, root],
    facts: factsOf(rule(item(root))),
    want: [rule(item(ownA), item(root))],
  },
  NoRule: {
    reason: 'if the kind sets no rule, the remaining live items are sent',
    own: [],
    paths: [b],
    facts: factsOf(rule(item(a), item(b))),
    want: [rule(item(b))],
  },
  EmptyRules: {
    reason: 'a rule without paths has no backend for the live items',
    own: [{ host: 'x' }, { http: {} }],
    paths: [b],
    facts: factsOf(rule(item(b))),
    want: [rule(item(b))],
  },
  NoPaths: {
    reason: 'the last live path goes by a rule that matches no request',
    own: [{ http: {} }],
    paths: [],
    facts: factsOf(rule(item(b))),
    want: [{ host: 'withdrawn.invalid' }],
  },
  NoneLeft: {
    reason: 'the last live path goes by such a rule, too, before an Ingress gets its desired paths',
    own: [rule(item(ownA))],
    paths: [],
    facts: factsOf(rule(item(b))),
    want: [{ host: 'withdrawn.invalid' }],
  },
  AsDesired: {
    reason: 'a rule without paths is sent as the kind wrote it to an Ingress that has no other',
    own: [{ host: 'x' }],
    paths: [],
    want: [{ host: 'x' }],
  },
  OtherOrder: {
    reason: 'the paths have the order of the step',
    own: [rule(item(ownA), item(ownB))],
    paths: [b, a],
    want: [rule(item(ownB), item(ownA))],
  },
  Leaving: {
    reason: 'a live path that is not desired keeps its live pattern',
    own: [rule(item(ownA))],
    paths: [a, b],
    facts: factsOf(rule(item(withMarker(older, a), 'x'), item(withMarker(older, b), 'x'))),
    want: [rule(item(ownA), item(withMarker(older, b)))],
  },
  TwoTexts: {
    reason: 'the first of two live patterns of one path is kept',
    own: [rule(item(ownA))],
    paths: [b],
    facts: factsOf(rule(item(b)), rule(item(withMarker(older, b)))),
    want: [rule(item(b))],
  },
};

describe('the fields with a choice of paths', () => {
  it.each(casesOf(written))('%s', (_, { own, paths, facts, want }) => {
    const rest = { metadata: { labels: { x: 'y' } } };
    const fields = { ...rest, spec: { ingressClassName: 'nginx', rules: own } };
    expect(exposure.withPaths(fields, paths, facts)).toEqual({
      ...rest,
      spec: { ingressClassName: 'nginx', rules: want },
    });
  });
});

describe('the remaining rules of a live Ingress', () => {
  const withMore = { host: 'x', http: { paths: [item(ownA), item(b)], more: 1 } };
  const facts = factsOf(withMore, rule(item(root), {}), { host: 'y' });

  it('is the rules of the remaining paths, in their own patterns', () => {
    expect(exposure.keeping(facts, [a])).toEqual([
      { host: 'x', http: { paths: [item(ownA)], more: 1 } },
    ]);
    expect(exposure.keeping(facts, [root, b])).toEqual([
      { host: 'x', http: { paths: [item(b)], more: 1 } },
      rule(item(root)),
    ]);
  });

  it('is a rule without paths, for a host that no request has, if none remains', () => {
    expect(exposure.keeping(facts, [])).toEqual([{ host: 'withdrawn.invalid' }]);
  });
});

describe('G-3 a live Ingress admits no more than the desired one', () => {
  const desired = { body: { spec: { rules: [{ host: 'x', ...rule(item(a), item(b)) }] } } };
  it.each<[string, boolean, readonly Json[]]>([
    ['with the same paths', true, [{ host: 'x', ...rule(item(a), item(b)) }]],
    ['with a part of the paths', true, [{ host: 'x', ...rule(item(b)) }]],
    ['without paths', true, [{ host: 'y' }]],
    ['not with one more path', false, [{ host: 'x', ...rule(item(a), item(root)) }]],
    ['not with another backend', false, [{ host: 'x', ...rule(item(a, 'foreign')) }]],
    ['not for another host', false, [rule(item(a))]],
    ['not with one more rule', false, [{ host: 'x', ...rule(item(a)) }, rule(item(root))]],
  ])('%s', (_, isPart, rules) => {
    expect(exposure.isPartOf(factsOf(...rules), desired)).toBe(isPart);
  });

  it('not if the desired one has no rules', () => {
    expect(exposure.isPartOf(factsOf(rule(item(a))), { body: {} })).toBe(false);
  });
});
