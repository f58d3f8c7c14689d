import { describe, expect, it, test } from 'vitest';
import {
  type DesiredPaths,
  type ExposureStep,
  exposureSteps,
} from '../../shared/plan/exposure/order.ts';
import { servedPathOf } from '../../shared/plan/exposure/served-path.ts';
import { casesOf } from '../support/cases.ts';
import { openRuns, type Plan } from '../support/exposure-runs.ts';
import {
  type Endpoints,
  gatesOf,
  ingress,
  lingering,
  openRouter,
  pattern,
  type State,
} from '../support/router.ts';

const paths = ['/', '/a', '/a/b', '/c', '/c/d', '/longer'];
const [root, a, ab, c] = paths.map(pattern) as [string, string, string, string];

/** Returns the Ingresses of a list of endpoints, created in the order of their scopes in the list. */
const liveOf = (endpoints: Endpoints): State =>
  gatesOf(endpoints).map((gate, at) => ingress(gate.name, gate.paths, at));

const textOf = (step: ExposureStep): string =>
  [
    step.verb,
    step.name.replace('app-', ''),
    ...(step.verb === 'apply'
      ? step.paths.map((path) => paths[paths.map(pattern).indexOf(path)])
      : []),
  ].join(' ');

interface Case {
  readonly reason: string;
  readonly live: State;
  readonly desired: Endpoints;
  /** The names of Ingresses that cannot be written. */
  readonly stuck?: readonly string[];
  readonly want: readonly string[];
}

const cases: Record<string, Case> = {
  'G-6 Same': {
    reason: 'writes no Ingress without drift',
    live: liveOf({ '/': [], '/a': ['u'] }),
    desired: { '/a': ['u'], '/': [] },
    want: [],
  },
  'G-3 MixedMarkers': {
    reason:
      'the Ingress that serves a shared path is withdrawn last, whatever the markers of its other paths',
    live: [
      {
        ...ingress('app-public', [root, a], 0),
        precedenceOf: (path) => (path === a ? 'old' : '0'),
      },
      { ...ingress('app-u', [a, c], 9), precedenceOf: (path) => (path === a ? 'new' : '9') },
    ],
    desired: { '/': [], '/c': ['u'] },
    want: ['apply u /c', 'apply public /'],
  },
  'G-3 New': {
    reason: 'protected paths come before public ones, and deeper ones first',
    live: [],
    desired: { '/': [], '/a': ['u'], '/a/b': ['v'], '/c': ['u'] },
    want: ['apply v /a/b', 'apply u /a /c', 'apply public /'],
  },
  'G-3 MoreScopes': {
    reason: 'a path that moves to another Ingress is always in one of the two',
    live: liveOf({ '/': [], '/a': ['u'] }),
    desired: { '/': [], '/a': ['u', 'v'] },
    want: ['apply u-v /a', 'delete u'],
  },
  'G-3 ParentGoesToo': {
    reason: 'the public parent is withdrawn before the path below it',
    live: liveOf({ '/a': ['u'], '/': [] }),
    desired: {},
    want: ['delete public', 'delete u'],
  },
  'G-3 Opened': {
    reason: 'a path is withdrawn before it is public',
    live: liveOf({ '/a': ['u'] }),
    desired: { '/a': [] },
    want: ['delete u', 'apply public /a'],
  },
  'G-3 Swapped': {
    reason: 'two Ingresses may swap their paths',
    live: liveOf({ '/a': ['u'], '/c': ['v'] }),
    desired: { '/a': ['v'], '/c': ['u'] },
    want: ['apply u /a /c', 'apply v /a /c', 'apply u /c', 'apply v /a'],
  },
  'G-3 OpenedBelow': {
    reason: 'a public Ingress may keep other paths',
    live: liveOf({ '/': [], '/a': ['u'] }),
    desired: { '/': [], '/a': [] },
    want: ['delete u', 'apply public / /a'],
  },
  'G-6 OneDepth': {
    reason: 'all paths of one depth are one write per Ingress, in the order of the names',
    live: [],
    desired: { '/a': ['w'], '/c': ['u'], '/longer': ['w'], '/c/d': ['v'] },
    want: ['apply v /c/d', 'apply u /c', 'apply w /a /longer'],
  },
  'G-6 ByName': {
    reason: 'independent writes are ordered by name',
    live: [],
    desired: { '/a': ['w'], '/c': ['u'], '/longer': ['v'] },
    want: ['apply u /c', 'apply v /longer', 'apply w /a'],
  },
  'G-6 Adjacent': {
    reason: 'adjacent moves of one Ingress at several depths are one write',
    live: [],
    desired: { '/a/b': ['u'], '/a': ['u'], '/c': ['v'] },
    want: ['apply u /a /a/b', 'apply v /c'],
  },
  'G-2 PublicStays': {
    reason: 'a public Ingress that loses all its paths gets others at the same time',
    live: liveOf({ '/a': [], '/a/b': ['u'] }),
    desired: { '/c': [] },
    want: ['apply public /c', 'delete u'],
  },
  'G-3 OneByOne': {
    reason: 'a removed set of scopes loses its paths before its Ingress is deleted',
    live: liveOf({ '/': ['u'], '/a/b': ['u'], '/a': ['v'] }),
    desired: {},
    want: ['apply u /a/b', 'delete v', 'delete u'],
  },
  'G-3 ThreeOfOnePath': {
    reason: 'of two Ingresses with the same path, the one that serves is withdrawn last',
    live: [ingress('app-u', [a], 2), ingress('app-v', [a], 1)],
    desired: { '/a': ['u', 'v'] },
    want: ['apply u-v /a', 'delete v', 'delete u'],
  },
  'G-3 ThreeOfOneRank': {
    reason: 'of two Ingresses with the same rank, the one with the later name wins',
    live: [ingress('app-u', [a], 1), ingress('app-v', [a], 1)],
    desired: {},
    want: ['delete u', 'delete v'],
  },
  'G-3 Lingering': {
    reason: 'an Ingress being deleted loses its paths in order, so that no write waits for its end',
    live: lingering(liveOf({ '/': ['u'], '/a': ['v'] }), 'app-u'),
    desired: { '/a/b': ['u', 'v'], '/c': [] },
    want: ['apply u-v /a/b', 'apply u', 'delete v', 'apply public /c', 'wait u'],
  },
  'G-3 LingeringDesired': {
    reason: 'no path is withdrawn while the Ingress that should serve is being deleted',
    live: lingering(liveOf({ '/': [], '/a': ['u'], '/a/b': ['v'], '/c': ['v'] }), 'app-u'),
    desired: { '/': [], '/a': ['u'] },
    want: ['apply v /a/b', 'wait u', 'wait v'],
  },
  'G-3 LingeringBelow': {
    reason: 'a path that no other Ingress serves is withdrawn, even if paths below it are missing',
    live: lingering(liveOf({ '/': [], '/a': ['u'] }), 'app-u'),
    desired: { '/a': ['u'] },
    want: ['delete public', 'wait u'],
  },
  'G-3 LingeringDecoy': {
    reason: 'a path that others added is withdrawn like any other',
    live: [
      { ...ingress('app-decoy', ['/.*']), deleting: true },
      ...liveOf({ '/a': ['u'], '/c': ['v'] }),
    ],
    desired: { '/c': ['v'] },
    want: ['apply decoy', 'delete u', 'wait decoy'],
  },
  'G-3 LingeringPublic': {
    reason: 'paths that a public Ingress being deleted has had are opened last',
    live: lingering(liveOf({ '/': ['v'], '/c': ['u'], '/a': [] }), 'app-public'),
    desired: { '/': ['v'], '/c': [] },
    want: ['delete u', 'apply public', 'wait public'],
  },
  'G-3 DeepDecoy': {
    reason: 'a path of unknown form may serve any request, so it is withdrawn first',
    live: [ingress('app-decoy', ['/ns/app/a/b/c/d/.*']), ...liveOf({ '/a': ['u'] })],
    desired: {},
    want: ['delete decoy', 'delete u'],
  },
  'G-3 StuckDecoy': {
    reason: 'paths are withdrawn before an Ingress of the same depth that cannot be written',
    live: [ingress('app-decoy', ['/.*']), ingress('app-other', ['/.+'])],
    stuck: ['app-decoy'],
    desired: {},
    want: ['delete other', 'wait decoy'],
  },
  'G-3 Stuck': {
    reason: 'an Ingress that cannot be written delays only those that serve the same requests',
    live: liveOf({ '/a': ['u'], '/a/b': ['v'], '/c': ['v'] }),
    stuck: ['app-u'],
    desired: {},
    want: ['apply v /a/b', 'wait u', 'wait v'],
  },
  'G-3 StuckAnywhere': {
    reason: 'a path of unknown form that cannot be withdrawn delays every Ingress',
    live: [ingress('app-decoy', ['/.*']), ...liveOf({ '/a': ['u'], '/c': ['v'] })],
    stuck: ['app-decoy'],
    desired: { '/c': ['v'] },
    want: ['wait decoy', 'wait u'],
  },
  'G-3 StuckDesired': {
    reason:
      'if a protected path cannot be written, no path above it is opened and no other path is withdrawn',
    live: liveOf({ '/': ['u'] }),
    stuck: ['app-v'],
    desired: { '/': [], '/a': ['v'] },
    want: ['delete u', 'wait v', 'wait public'],
  },
  'G-2 StuckStays': {
    reason:
      'an Ingress loses its last path, but is not deleted, while it cannot have another one yet',
    live: liveOf({ '/c': ['u'] }),
    stuck: ['app-v'],
    desired: { '/a': ['u'], '/a/b': ['v'] },
    want: ['apply u', 'wait v', 'wait u'],
  },
  'G-3 LingeringBesideOthers': {
    reason: 'steps that do not depend on a failed one are made',
    live: lingering(liveOf({ '/a': ['u'] }), 'app-u'),
    desired: { '/a': ['u'], '/c': ['v'] },
    want: ['apply v /c', 'wait u'],
  },
  OtherOrder: {
    reason: 'an Ingress with the same paths in another order exposes the same requests',
    live: [ingress('app-u', [c, a])],
    desired: { '/a': ['u'], '/c': ['u'] },
    want: [],
  },
  NoPath: {
    reason: 'an unwanted Ingress without paths is deleted',
    live: [ingress('app-u', [])],
    desired: {},
    want: ['delete u'],
  },
};

it('a desired Ingress without paths is not deleted, and not written if it has none', () => {
  const desired: readonly DesiredPaths[] = [{ name: 'app-u', isPublic: false, paths: [] }];
  const stepsFrom = (...held: readonly string[]) =>
    exposureSteps([ingress('app-u', held)], desired).map(textOf);
  expect(stepsFrom(a, c)).toEqual(['apply u']);
  expect(stepsFrom()).toEqual([]);
});

describe('exposureSteps', () => {
  it.each(casesOf(cases))('%s', (_, { live, desired, stuck, want }) => {
    expect(exposureSteps(live, gatesOf(desired), new Set(stuck)).map(textOf)).toEqual(want);
  });
});

/** Writes each Ingress once, as the rest of the engine would, and deletes unwanted ones first or last. */
const naive =
  (when: 'first' | 'last'): Plan =>
  (live, desired) => {
    const held = (name: string) => live.find((one) => one.name === name);
    const gone = live.filter(({ name }) => !desired.some((one) => one.name === name));
    const changed = desired.filter(({ name, paths }) => `${held(name)?.paths}` !== `${paths}`);
    const deletions = gone.map(({ name }): ExposureStep => ({ verb: 'delete', name }));
    const applies = changed.map((gate: DesiredPaths): ExposureStep => ({ verb: 'apply', ...gate }));
    const steps = when === 'first' ? [...deletions, ...applies] : [...applies, ...deletions];
    return steps.map(({ name, ...step }) =>
      held(name)?.deleting ? { verb: 'wait', name } : { name, ...step },
    );
  };

describe('G-3 the model finds that requests are admitted by', () => {
  const run = openRuns();
  const start = [ingress('app-public', [root], 1), ingress('app-u', [a])];
  const moreScopes = { requests: paths, start, desired: gatesOf({ '/': [], '/a': ['u', 'v'] }) };
  const deeper = { requests: paths, start, desired: gatesOf({ '/': ['u'], '/a': ['u', 'v'] }) };
  const open = `/a at ${JSON.stringify([['app-public', root]])}`;

  test('deleting first', () => {
    expect(run({ ...moreScopes, plan: naive('first') }).leaks).toContain(open);
  });

  test('deleting last, if the run continues after a failure', () => {
    expect(run({ ...moreScopes, plan: naive('last') }).leaks).toEqual([]);
    expect(run({ ...moreScopes, plan: naive('last'), goesOn: true }).leaks).toContain(open);
  });

  test('deleting last, if a path moves up below a public one', () => {
    expect(run({ ...deeper, plan: naive('last') }).leaks).not.toEqual([]);
    expect(run(deeper).leaks).toEqual([]);
  });

  test('our order, if the run continued after a failure', () => {
    expect(run(moreScopes).leaks).toEqual([]);
    expect(run({ ...moreScopes, goesOn: true }).leaks).toContain(open);
  });
});

describe('the router of the model', () => {
  const route = openRouter();
  const state = [
    ingress('app-public', [root], 1),
    ingress('app-u', [a], 3),
    ingress('app-v', [a, ab], 2),
  ];
  it.each([
    { reason: 'the root wins', request: '/', want: [] },
    { reason: 'the root serves what no other path does', request: '/x/y', want: [] },
    { reason: 'a prefix matches whole segments', request: '/ab', want: [] },
    {
      reason: 'of two Ingresses with the same path, the higher-ranked one serves',
      request: '/a',
      want: ['u'],
    },
    { reason: 'a path serves for the paths below it', request: '/a/x', want: ['u'] },
    { reason: 'the longest path wins', request: '/a/b/c', want: ['v'] },
  ])('$reason', ({ request, want }) => {
    expect(route(state, request)).toEqual(want);
  });

  it('refuses a path that is not listed', () => {
    expect(route([ingress('app-u', [a])], '/c')).toBeUndefined();
  });
});

describe('the time to order writes', () => {
  /** Builds `count` Ingresses that share `held` paths, each of which is served by another Ingress. */
  const crowd = (count: number, held: number): State =>
    Array.from({ length: count }, (_, at) => {
      const names = Array.from({ length: held }, (_, n) => pattern(`/p${n}`));
      const ranks = names.map((path, n) => [path, String((at + n) % count)] as const);
      const rankOf = new Map(ranks);
      return { ...ingress(`decoy-${at}`, names), precedenceOf: (path) => rankOf.get(path) ?? '' };
    });
  const spent = (live: State): number => {
    const { user } = process.threadCpuUsage();
    exposureSteps(live, gatesOf({ '/': [], '/a': ['u'] }));
    return process.threadCpuUsage().user - user;
  };

  it.each([
    ['the number of Ingresses', () => crowd(20_000, 1), () => crowd(80_000, 1)],
    ['the number of paths', () => crowd(1, 10_000), () => crowd(1, 40_000)],
  ])('is linear in %s', (_, few, many) => {
    spent(few());
    // Multiplies the number by four: comparing all pairs would take sixteen times as long.
    expect(spent(many())).toBeLessThan(9 * spent(few()) + 200_000);
  });

  it('is short if the maximum number of paths rotates among the Ingresses', () => {
    expect(spent(crowd(32, 32))).toBeLessThan(1_000_000);
  });

  it('reads each path once if an Ingress with a path of unknown form cannot be written', () => {
    const held = Array.from({ length: 1_000 }, (_, at) => pattern(`/${'p'.repeat(900)}${at}`));
    const live = [...held.map((path, at) => ingress(`old-${at}`, [path])), ingress('any', ['*'])];
    const readPairs = (): number => {
      const { user } = process.threadCpuUsage();
      for (const _ of held.slice(0, 100)) for (const path of held) servedPathOf(path);
      return process.threadCpuUsage().user - user;
    };
    readPairs();
    const { user } = process.threadCpuUsage();
    exposureSteps(live, [], new Set(['any']));
    const steps = process.threadCpuUsage().user - user;
    // Takes ten times as long as `readPairs`, which reads a tenth, if the paths are read for each pair.
    expect(steps).toBeLessThan(6 * readPairs());
  });
});
