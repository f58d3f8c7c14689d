import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../shared/kubernetes.ts';
import type { Decision, DecisionBody } from '../../shared/plan/decision/decision.ts';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import type { CompletePlan } from '../../shared/plan/plan.ts';
import { afterNeeds, schedule } from '../../shared/plan/schedule.ts';
import { effort } from '../properties/runs.ts';
import { casesOf } from '../support/cases.ts';
import { websiteService } from '../support/children.ts';
import { create, decision, exists, none, ref, remove, wait } from '../support/decisions.ts';

const make = create({}, false);
const deletion = remove(websiteService());
const of = (name: string, body: DecisionBody): Decision => decision('Deployment', name, body);
const needing = (name: string, other: string): Decision => ({
  ...of(name, make),
  needs: [ref('Deployment', other)],
});
/** Puts a child of a cluster-scoped resource into a namespace. */
const within = (namespace: string, given: Decision): Decision => ({
  ...given,
  child: { ...given.child, namespace },
});
const failed: DecisionBody = { verb: 'fail', reason: 'Conflict', message: '', transient: true };

interface Case {
  readonly reason: string;
  readonly plan: Partial<Pick<CompletePlan, 'decisions' | 'exposures' | 'deletions'>>;
  /** Results by the name of the child; others succeed. */
  readonly results?: Readonly<Record<string, Outcome['result']>>;
  readonly prune?: boolean;
  readonly want: readonly string[];
}

const cases: Record<string, Case> = {
  Order: {
    reason: 'writes desired children first, then exposures, then deletions',
    plan: {
      decisions: [of('a', make), of('b', none)],
      exposures: [of('e', make)],
      deletions: [of('d', deletion)],
    },
    want: ['create a', 'none b', 'create e', 'delete d'],
  },
  'C-12 Needs': {
    reason: 'a child waits only for the failed children that it needs',
    plan: { decisions: [of('a', make), needing('b', 'a'), needing('c', 'b'), of('f', make)] },
    results: { a: 'failed', b: 'skipped' },
    want: ['create a', 'wait b DependencyPending', 'wait c DependencyPending', 'create f'],
  },
  NeedsExposure: {
    reason:
      'a child that needs an exposing child, or that needs such a child, comes after all exposures',
    plan: {
      decisions: [needing('c', 'b'), needing('b', 'e'), of('a', make)],
      exposures: [of('e', make)],
    },
    want: ['create a', 'create e', 'create b', 'create c'],
  },
  NeedsFailedExposure: {
    reason: 'a child waits for a failed exposing child that it needs',
    plan: { decisions: [needing('b', 'e'), of('a', make)], exposures: [of('e', make)] },
    results: { e: 'failed' },
    want: ['create a', 'create e', 'wait b DependencyPending'],
  },
  NeedsLater: {
    reason: 'a child may need a child that the kind returns later',
    plan: { decisions: [needing('c', 'b'), needing('b', 'a'), of('a', make)] },
    want: ['create a', 'create b', 'create c'],
  },
  NeedsDone: {
    reason: 'a child does not wait for one that was written or up to date',
    plan: { decisions: [of('a', make), of('n', none), needing('b', 'a'), needing('c', 'n')] },
    results: { n: 'unchanged' },
    want: ['create a', 'none n', 'create b', 'create c'],
  },
  'law 15 ExposuresAfterFailure': {
    reason: 'a failed Deployment does not delay the closing of an exposure',
    plan: { decisions: [of('a', make)], exposures: [of('e', make)] },
    results: { a: 'failed' },
    want: ['create a', 'create e'],
  },
  'law 15 ClosingFirst': {
    reason:
      'exposures up to the last one that closes come before all other writes, and the rest after them',
    plan: {
      decisions: [of('a', make)],
      exposures: [of('p', make), of('w', deletion), of('o', make)],
    },
    want: ['create p', 'delete w', 'create a', 'create o'],
  },
  'law 15 ClosingFails': {
    reason: 'if an exposure cannot be closed, later exposures wait, and other children do not',
    plan: { decisions: [of('a', make)], exposures: [of('w', deletion), of('o', make)] },
    results: { w: 'failed' },
    want: ['delete w', 'create a', 'wait o ExposurePending'],
  },
  ExposureFails: {
    reason:
      'after a failed exposure the others wait, and a decision without a write keeps its reason',
    plan: { exposures: [of('e', make), of('f', make), of('g', exists('g', 'Foo')), of('h', none)] },
    results: { e: 'failed' },
    want: ['create e', 'wait f ExposurePending', 'block g ErrResourceExists', 'none h'],
  },
  'C-5 NothingDeletedBeforeAll': {
    reason: 'deletions wait while a child is not in place',
    plan: { decisions: [of('a', make)], deletions: [of('d', deletion), of('e', deletion)] },
    results: { a: 'failed' },
    want: ['create a', 'wait d PruningPending', 'wait e PruningPending'],
  },
  'C-5 ExposureHoldsDeletions': {
    reason: 'deletions wait while an exposure is not in place',
    plan: { exposures: [of('e', make)], deletions: [of('d', deletion)] },
    results: { e: 'blocked' },
    want: ['create e', 'wait d PruningPending'],
  },
  ExposuresGoOn: {
    reason: 'deletions do not wait for an exposure that was up to date',
    plan: { exposures: [of('e', make), of('f', none), of('g', make)] },
    results: { f: 'unchanged' },
    want: ['create e', 'none f', 'create g'],
  },
  'C-5 OtherNamespace': {
    reason: 'deletions wait only for failures in their own namespace',
    plan: {
      decisions: [within('a', of('a', make)), within('b', of('b', make))],
      deletions: [within('a', of('d', deletion)), within('b', of('e', deletion))],
    },
    results: { a: 'failed' },
    want: ['create a', 'create b', 'wait d PruningPending', 'delete e'],
  },
  'C-5 ClusterScopedFails': {
    reason: 'all deletions wait after a failure of a cluster-scoped child',
    plan: { decisions: [of('a', make)], deletions: [within('b', of('e', deletion))] },
    results: { a: 'failed' },
    want: ['create a', 'wait e PruningPending'],
  },
  'C-5 PruneLimit': {
    reason:
      'without permission nothing is deleted, and waiting or failed children keep their reasons',
    plan: { deletions: [of('d', deletion), of('w', wait('w')), of('f', failed)] },
    prune: false,
    want: ['wait d PruningPending', 'wait w ChildDeleting', 'fail f Conflict'],
  },
  DeletionsTogether: {
    reason: 'a failed deletion does not delay the next one',
    plan: { deletions: [of('d', deletion), of('e', deletion)] },
    results: { d: 'failed' },
    want: ['delete d', 'delete e'],
  },
};

describe('schedule', () => {
  it.each(casesOf(cases))('%s', (_, { plan, results = {}, prune = true, want }) => {
    const outcomes = new Map<string, Outcome>();
    const whole = { decisions: [], exposures: [], deletions: [], ...plan };
    const seen: string[] = [];
    for (const one of schedule(
      { state: 'planned', desiredKeys: [], ...whole },
      outcomes,
      () => prune,
    )) {
      const { child, verb } = one;
      seen.push(`${verb} ${child.name}${'reason' in one ? ` ${one.reason}` : ''}`);
      outcomes.set(keyOf(child), { child, result: results[child.name] ?? 'updated' });
    }
    expect(seen).toEqual(want);
  });

  it.each([
    ['PRUNE_LIMIT', false, ', because PRUNE_LIMIT does not allow it in this run'],
    ['another child', true, ''],
  ])('names the child whose deletion waits for %s', (_, prune, why) => {
    const deletions = [of('d', deletion)];
    const planned = { desiredKeys: [], exposures: [], decisions: [of('a', none)], deletions };
    const outcomes = new Map<string, Outcome>();
    let last: Decision | undefined;
    for (const one of schedule({ state: 'planned', ...planned }, outcomes, () => prune)) {
      outcomes.set(keyOf(one.child), { child: one.child, result: 'failed' });
      last = one;
    }
    expect(last).toMatchObject({
      message: `Deployment d is no longer desired, but not deleted yet${why}`,
    });
  });

  it('names the child for which another one waits', () => {
    const outcomes = new Map<string, Outcome>();
    const decisions = [needing('b', 'a')];
    const [first] = schedule(
      { state: 'planned', desiredKeys: [], decisions, exposures: [], deletions: [] },
      outcomes,
      () => true,
    );
    expect(first).toMatchObject({ message: 'Deployment b waits for Deployment a' });
  });
});

describe('afterNeeds', () => {
  it('contains each decision once, after those that it needs, with generated data first', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    // Each child needs only children with smaller names, so there is no cycle.
    const needs = fc.tuple(...names.map((_, at) => fc.subarray(names.slice(0, at))));
    const order = fc.shuffledSubarray(names, { minLength: names.length });
    fc.assert(
      fc.property(needs, order, fc.boolean(), (needed, shuffled, generates) => {
        const decisions = shuffled.map((name): Decision => {
          const refs = (needed[names.indexOf(name)] ?? []).map((one) => ref('Deployment', one));
          const isFirst = generates && name === 'a';
          const body = isFirst ? { ...make, generates: ['k'], usedBy: [] } : make;
          return { ...of(name, body as DecisionBody), needs: refs };
        });
        const ordered = afterNeeds(decisions);
        expect(new Set(ordered)).toEqual(new Set(decisions));
        const at = new Map(ordered.map(({ child }, index) => [keyOf(child), index]));
        for (const [index, decision] of ordered.entries())
          for (const one of decision.needs ?? []) expect(at.get(keyOf(one))).toBeLessThan(index);
        if (generates) expect(ordered[0]?.child.name).toBe('a');
      }),
      effort(200),
    );
  });
});
