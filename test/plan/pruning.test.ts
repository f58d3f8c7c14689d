import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countIn,
  mergeCounts,
  type NamespaceCounts,
  pruningOf,
} from '../../shared/plan/pruning.ts';
import { effort } from '../properties/runs.ts';
import { casesOf } from '../support/cases.ts';
import { observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';

const limit = (resources: number): number => Math.max(10, Math.floor(resources / 5));

const countsOf = (
  counts: Readonly<Record<string, readonly [resources: number, deletions: number]>>,
): NamespaceCounts =>
  new Map(
    Object.entries(counts).map(([namespace, [resources, deletions]]) => [
      namespace,
      { resources, deletions: uids(deletions) },
    ]),
  );

const pruningFor = (counts: Parameters<typeof countsOf>[0], uncountable: readonly string[] = []) =>
  pruningOf({ namespaces: countsOf(counts), uncountable: new Set(uncountable) }, limit);

/** Returns `count` uids, the first of which is that of `unedited`. */
const uids = (count: number): Set<string> =>
  new Set(Array.from({ length: count }, (_, at) => (at === 0 ? unedited('a').uid : `${at}`)));

const unedited = (namespace: string) => observeResource(foo({ metadata: { namespace } }));
const edited = (namespace: string) =>
  observeResource(foo({ metadata: { namespace, generation: 2 } }));

const cases: Record<
  string,
  {
    readonly reason: string;
    readonly given: Parameters<typeof countsOf>[0];
    readonly withheld: readonly string[];
  }
> = {
  'at the limit': {
    reason: 'ten children of a few may be deleted',
    given: { a: [12, 10] },
    withheld: [],
  },
  'above it': {
    reason: 'more than ten of a few are withheld',
    given: { a: [12, 11] },
    withheld: ['a'],
  },
  'a fifth of many': {
    reason: 'a fifth of a large number may be deleted',
    given: { a: [100, 20] },
    withheld: [],
  },
  'more than a fifth': {
    reason: 'the fifth is rounded down',
    given: { a: [59, 12] },
    withheld: ['a'],
  },
  'another namespace has hundreds': {
    reason: 'deletions of a resource in another namespace count as one here',
    given: { a: [20, 9], b: [500, 400] },
    withheld: ['b'],
  },
  'another namespace has many resources': {
    reason: 'resources in another namespace do not raise the limit here',
    given: { a: [20, 12], b: [5000, 0] },
    withheld: ['a'],
  },
  'one each in many namespaces': {
    reason: 'a child that the kind no longer desires counts in every namespace',
    given: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}`, [1, 1]])),
    withheld: Array.from({ length: 20 }, (_, at) => `n${at}`),
  },
};

describe('the limit of unrequested deletions', () => {
  it.each(casesOf(cases))('%s', (_, { given, withheld }) => {
    const pruning = pruningFor(given);
    const held = Object.entries(given).flatMap(([namespace, [, deletions]]) =>
      deletions === 0 || pruning.allows(unedited(namespace), namespace) ? [] : [namespace],
    );
    expect(held).toEqual(withheld);
    expect(pruning.text === 'allowed').toBe(withheld.length === 0);
    expect(pruning.text.length).toBeLessThan(600);
  });

  it('does not apply to an edited resource', () => {
    const pruning = pruningFor({ a: [12, 11] });
    expect(pruning.allows(edited('a'), 'a')).toBe(true);
    expect(pruning.allows(unedited('a'), 'a')).toBe(false);
  });

  it('leaves deletions that were not counted to the next run', () => {
    const pruning = pruningFor({ a: [12, 1], b: [12, 0] });
    expect(pruning.allows(unedited('a'), 'a')).toBe(true);
    expect(pruning.allows({ ...unedited('a'), uid: 'another' }, 'a')).toBe(false);
    expect(pruning.allows(unedited('b'), 'b')).toBe(false);
    expect(pruning.allows(edited('b'), 'b')).toBe(true);
  });

  it('allows deletions that were not counted if they are expected and none is withheld', () => {
    const pruning = pruningFor({ a: [12, 0], b: [12, 11] }, ['unknown']);
    for (const [uid, isExpected] of [
      ['unknown', undefined],
      ['another', true],
    ] as const) {
      expect(pruning.allows({ ...unedited('a'), uid }, 'a', isExpected)).toBe(true);
      expect(pruning.allows({ ...unedited('b'), uid }, 'b', isExpected)).toBe(false);
    }
  });

  // Fails if the limit uses the resources, or the count the deletions, of all namespaces.
  it('counts deletions of one namespace once in another', () => {
    const count = fc.tuple(fc.nat({ max: 300 }), fc.nat({ max: 300 }));
    const world = fc.dictionary(fc.constantFrom('c', 'd', 'e'), count);
    fc.assert(
      fc.property(
        count,
        world,
        fc.array(count, { minLength: 2, maxLength: 2 }),
        (a, rest, [b, other]) => {
          const allows = (theirs: readonly [number, number]): boolean =>
            pruningFor({ ...rest, a, b: theirs }).allows(unedited('a'), 'a');
          const [one, two] = [b!, other!];
          // The first deletion may exceed a limit that was just met; further ones do not count.
          if (one[1] > 0 === two[1] > 0) expect(allows(one)).toBe(allows(two));
        },
      ),
      effort(2000),
    );
  });
});

describe('the reason for withholding deletions', () => {
  const textOf = (given: Parameters<typeof countsOf>[0]): string => pruningFor(given).text;
  const limit = 'the limit is 10';

  it('names the namespace, its counts, the limit and the remedy', () => {
    expect(textOf({ a: [12, 11] })).toBe(
      `11 of 12 resources would delete children in namespace a although these resources were not edited; ${limit}: raise PRUNE_LIMIT to allow the deletions`,
    );
  });

  it('names other namespaces whose deletions count', () => {
    expect(textOf({ a: [12, 10], b: [1, 1], c: [1, 0], d: [1, 1] })).toBe(
      `10 of 12 resources would delete children in namespace a although these resources were not edited; each of 2 other namespaces with such deletions counts as one more resource, so the total is 12; ${limit}: raise PRUNE_LIMIT to allow the deletions`,
    );
  });

  it('names the first of several namespaces, three more, and the number of the rest', () => {
    const held = (...names: readonly string[]) =>
      textOf(Object.fromEntries(names.map((name) => [name, [12, 11] as const])));
    expect(held('b', 'c', 'a')).toMatch(/ in namespace a .*; likewise in b, c: raise PRUNE_LIMIT/);
    expect(held('b', 'a')).toMatch(/ in namespace a .*; likewise in b: raise PRUNE_LIMIT/);
    expect(held('d', 'c', 'b', 'a')).toContain('; likewise in b, c, d: raise');
    expect(held('e', 'd', 'c', 'b', 'a')).toContain('; likewise in b, c, d and 1 more: raise');
  });
});

describe('counting deletions by namespace', () => {
  it('begins at zero, and remembers counts', () => {
    const counts: NamespaceCounts = new Map();
    const count = countIn(counts, 'a');
    expect(count).toEqual({ resources: 0, deletions: new Set() });
    count.resources++;
    expect(countIn(counts, 'a')).toEqual({ resources: 1, deletions: new Set() });
  });

  it('adds up several lists, and counts a resource in two lists once', () => {
    const merged = mergeCounts([countsOf({ a: [3, 1], b: [1, 0] }), countsOf({ a: [4, 2] })]);
    expect(Object.fromEntries(merged)).toEqual({
      a: { resources: 7, deletions: uids(2) },
      b: { resources: 1, deletions: new Set() },
    });
  });
});
