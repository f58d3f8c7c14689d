import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { defineConfig, defineKind } from '../../index.ts';

interface Names {
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

interface Case {
  readonly reason: string;
  readonly kinds: readonly ReturnType<typeof kindOf>[];
  /** Of the error; without it the kinds are accepted. */
  readonly want?: string;
}

const cases: Record<string, Case> = {
  Sound: {
    reason: 'names differ; a category is there to be shared',
    kinds: [
      kindOf({ shortNames: ['ca'], categories: ['all'] }),
      kindOf({ ...database, shortNames: ['db'], categories: ['all'] }),
    ],
  },
  ShortNameTaken: {
    reason: 'the API server accepts only one of the definitions',
    kinds: [kindOf({ shortNames: ['c'] }), kindOf({ ...database, shortNames: ['db', 'c'] })],
    want: 'kinds: short name c of Cache also names Database; choose another',
  },
  ShortNameIsSingular: {
    reason: 'a kind is named by its singular, too',
    kinds: [kindOf({}), kindOf({ ...database, shortNames: ['cache'] })],
    want: 'kinds: short name cache of Database also names Cache; choose another',
  },
  ShortNameIsPlural: {
    reason: 'in another group, KINDS would name either',
    kinds: [kindOf({}), kindOf({ ...database, group: 'example.com', shortNames: ['caches'] })],
    want: 'kinds: short name caches of Database also names Cache; choose another',
  },
};

describe('defineConfig', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, kinds, want }) => {
    const define = () => defineConfig({ kinds });
    if (want === undefined) expect(define, reason).not.toThrow();
    else expect(define, reason).toThrow(want);
  });
});
