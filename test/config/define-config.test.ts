import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { type ChildType, configMap, defineConfig, defineKind } from '../../index.ts';
import { casesOf } from '../support/cases.ts';

interface Names {
  readonly owns?: readonly ChildType[];
  readonly formerly?: readonly ChildType[];
  readonly group?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const kindOf = (over: Names) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Cache',
    plural: 'caches',
    spec: Type.Object({}),
    samples: [],
    owns: [],
    children: () => [],
    ...over,
  });
const database = { kind: 'Database', plural: 'databases' };

const storage = kindOf(database);

/** Kinds, each of which owns the next. */
const egg = { group: 'example.org', version: 'v1', kind: 'Egg', plural: 'eggs' };
const hen = kindOf({ kind: 'Hen', plural: 'hens', owns: [egg] });
const eggOf = (more: Names) => kindOf({ ...egg, ...more });

interface Case {
  readonly reason: string;
  readonly kinds: readonly ReturnType<typeof kindOf>[];
  /** A part of the error; absent if the kinds are accepted. */
  readonly want?: string;
}

const cases: Record<string, Case> = {
  Sound: {
    reason: 'kinds with different names may share a category',
    kinds: [
      kindOf({ shortNames: ['ca'], categories: ['all'] }),
      kindOf({ ...database, shortNames: ['db'], categories: ['all'] }),
    ],
  },
  ShortNameTaken: {
    reason: 'the API server accepts only one of the CRDs',
    kinds: [kindOf({ shortNames: ['c'] }), kindOf({ ...database, shortNames: ['db', 'c'] })],
    want: 'kinds: c names both Cache and Database; choose another name',
  },
  ShortNameIsSingular: {
    reason: 'a short name must not equal the singular of another kind',
    kinds: [kindOf({}), kindOf({ ...database, shortNames: ['cache'] })],
    want: 'kinds: Cache names both Cache and Database; choose another name',
  },
  ShortNameIsPlural: {
    reason: 'in KINDS, the name would select either kind, although their groups differ',
    kinds: [kindOf({}), kindOf({ ...database, group: 'example.com', shortNames: ['caches'] })],
    want: 'kinds: caches names both Database and Cache; choose another name',
  },
  OwnsAKind: {
    reason: 'a kind may own another one that owns a third',
    kinds: [hen, eggOf({ owns: [configMap, storage] }), storage],
  },
  OwnsItself: {
    reason: 'a kind that owns itself would create resources without end',
    kinds: [eggOf({ owns: [egg] })],
    want: 'kinds: Egg owns Egg, so each resource would create another without end; remove a kind from `owns`',
  },
  OwnEachOther: {
    reason: 'the error names the cycle of owners, without the kinds that lead to it',
    kinds: [kindOf({ owns: [hen] }), hen, eggOf({ owns: [configMap, hen] })],
    want: 'kinds: Hen owns Egg owns Hen, so each resource would create another without end; remove a kind from `owns`',
  },
  OwnedFormerly: {
    reason: 'a former type may close a cycle, because its children are only deleted',
    kinds: [hen, eggOf({ owns: [configMap], formerly: [hen] })],
  },
};

/** Values that TypeScript refuses, but JavaScript may pass. */
const shapes: Record<string, { reason: string; kinds: unknown; want: string }> = {
  None: {
    reason: 'the field is misspelt',
    kinds: undefined,
    want: 'kinds is undefined; it must be a list',
  },
  Undefined: {
    reason: 'a cyclic import leaves a kind undefined',
    kinds: [kindOf({}), undefined],
    want: 'kinds[1] is undefined; it must be what defineKind returns (undefined usually means that two files import each other)',
  },
  Function: {
    reason: 'a function that returns a kind was not called',
    kinds: [() => kindOf({})],
    want: 'kinds[0] is a function; it must be what defineKind returns (undefined usually means that two files import each other)',
  },
  ChildType: {
    reason: 'a child type is not a kind',
    kinds: [configMap],
    want: 'kinds[0] is an object; it must be what defineKind returns (undefined usually means that two files import each other)',
  },
  Promise: {
    reason: 'an async function returns a promise',
    kinds: async () => [kindOf({})],
    want: 'kinds is a promise; it must be a list',
  },
};

describe('defineConfig', () => {
  it.each(casesOf(shapes))('refuses kinds: %s', (_, { kinds, want }) => {
    const define = () => defineConfig({ kinds: kinds as [] }).kindsFor(() => '');
    expect(define).toThrow(want);
  });

  it.each(casesOf(cases))('%s', (_, { kinds, want }) => {
    const define = () => defineConfig({ kinds });
    if (want === undefined) expect(define).not.toThrow();
    else expect(define).toThrow(want);
  });
});

const tooLong = 'a'.repeat(41);

describe('the name of a reconciler', () => {
  it.each<readonly [string, object, string | undefined]>([
    ['may be chosen freely', { name: 'team-a' }, undefined],
    ['may have 40 characters', { name: tooLong.slice(1) }, undefined],
    ['of 41 characters is refused', { name: tooLong }, `name: "${tooLong}": not a name`],
    ['in upper case is refused', { name: 'Team' }, 'name: "Team": not a name'],
    [
      'that begins with a digit is refused, because Services are named after it',
      { name: '1-a' },
      'not a name',
    ],
    ['that is empty is refused', { name: '' }, 'name: "": not a name'],
    [
      'that equals a field manager of another name is refused',
      { name: 'team-a-generated' },
      'name: "team-a-generated": a name must not end with -generated, because reconcilers use such names for their additional field managers; choose another name',
    ],
  ])('%s', (_, names, want) => {
    const define = () => defineConfig({ kinds: [kindOf({})], ...names });
    if (want === undefined) expect(define().identity).toMatchObject(names);
    else expect(define).toThrow(want);
  });

  it('defaults to serverless-reconciler', () => {
    const { identity } = defineConfig({ kinds: [kindOf({})] });
    expect(identity).toEqual({ name: 'serverless-reconciler' });
  });
});

describe('settings', () => {
  it('need no types: each parser receives text, and kinds receive what it returns', () => {
    const config = defineConfig({
      settings: { GROUP: (text) => text || 'example.org', LIMIT: (text) => text.length },
      kinds: ({ GROUP, LIMIT }) => [kindOf({ group: GROUP, shortNames: [`s${LIMIT.toFixed()}`] })],
    });
    const [kind] = config.kindsFor((variable) => (variable === 'LIMIT' ? 'a' : ''));
    expect(kind).toMatchObject({ group: 'example.org', shortNames: ['s1'] });
  });
});
