import { describe, expect, it } from 'vitest';
import { withoutUndefined } from '../../shared/canonical.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { authUrlAnnotation } from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import type { FightDetector } from '../../shared/plan/drift/contest.ts';
import { desiredDigest } from '../../shared/plan/observed/applied.ts';
import { desiredFields } from '../../shared/plan/observed/apply-manifest.ts';
import { withoutContent } from '../../shared/plan/observed/observed.ts';
import { refTo, type World } from '../../shared/plan/observed/world.ts';
import { casesOf } from '../support/cases.ts';
import { kindsFor } from '../support/config.ts';
import { type Draft, edited } from '../support/edits.ts';
import { fields, ourEntry, ownMetadata } from '../support/managed-fields.ts';
import { identity, observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
import { pattern } from '../support/router.ts';
import { worldOf } from '../support/worlds.ts';

const app = kindsFor({ authUrl: undefined, ingressClass: 'nginx' }).find(
  ({ kind }) => kind === 'ContainerApp',
) as Kind;
const apiVersion = 'gateway.example.com/v1alpha1';
const resource = observeResource({
  apiVersion,
  kind: 'ContainerApp',
  metadata: { name: 'app', namespace: 'ns', uid: 'app-uid', resourceVersion: '9' },
  spec: {},
} as unknown as KubeObject);

/** Builds an Ingress for these paths, which requires authorization unless its name is `public`. */
const gate = (name: string, paths: readonly string[], over: Partial<Child> = {}): Child => ({
  type: ingress,
  name,
  ...(name === 'public' ? {} : { annotations: { [authUrlAnnotation]: `https://auth/${name}` } }),
  body: { spec: { ingressClassName: 'nginx', rules: rulesOf(paths) } },
  ...over,
});

const rulesOf = (paths: readonly string[]) => [
  {
    http: {
      paths: paths.map((path) => ({ backend: { service: { name: 'shop' } }, path: pattern(path) })),
    },
  },
];

const version = { uid: 'uid', resourceVersion: '7' };

const fieldsOf = (child: Child): JsonObject =>
  withoutUndefined(desiredFields({ identity, kind: app, resource }, child));

const defaultBackend = { service: { name: 'shop', port: { number: 80 } } };
/** Builds an Ingress of a version without rules. */
const bare = (name: string): Child =>
  gate(name, [], { body: { spec: { ingressClassName: 'nginx', defaultBackend } } });
const bareLive = (name: string): KubeObject => liveChild(bare(name), () => {});

/** Builds the Ingress as our apply stored it. */
const live = (
  name: string,
  paths: readonly string[],
  change: (draft: Draft) => void = () => {},
): KubeObject => liveChild(gate(name, paths), change);

function liveChild(child: Child, change: (draft: Draft) => void): KubeObject {
  const { name } = child;
  const { metadata, ...rest } = withoutUndefined(
    desiredFields({ identity, kind: app, resource }, child),
  );
  const annotations = child.annotations && fields(Object.keys(child.annotations));
  const object = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    ...rest,
    metadata: {
      ...(metadata as JsonObject),
      name,
      namespace: 'ns',
      ...version,
      managedFields: [
        ourEntry('networking.k8s.io/v1', {
          'f:metadata': {
            ...ownMetadata('app-uid', []),
            ...(annotations && { 'f:annotations': annotations }),
          },
          'f:spec': fields(Object.keys(child.body.spec as JsonObject)),
        }),
      ],
    },
  };
  change(object);
  return object as unknown as KubeObject;
}

const deleting = ({ metadata }: Draft): void => {
  metadata.deletionTimestamp = '2026-11-22T10:00:00Z';
};
const foreign = ({ metadata }: Draft): void => {
  metadata.ownerReferences = [];
};
/** Removes the authorization annotation, so that the Ingress admits every request. */
const opened = (one: KubeObject): KubeObject =>
  edited(one, { by: 'kubectl' }, ({ metadata }) => {
    delete metadata.annotations[authUrlAnnotation];
  });

interface Given {
  readonly desired: readonly Child[];
  readonly live: readonly KubeObject[];
  readonly world?: Partial<World>;
  readonly detectFight?: FightDetector;
}

function decided({ desired, live: there, world, detectFight }: Given): readonly Decision[] {
  const children = worldOf(...there);
  const named = desired.map(({ type, name }) => keyOf(refTo(type, name)));
  const absent = new Set(named.filter((key) => !children.children.has(key)));
  const kind = { ...app, desired: () => desired };
  const given = { kind, resource, ...children, absent, ...world, detectFight };
  const { planned } = planWithResults(given, there);
  if (planned.state !== 'planned') throw new Error(`the plan is ${planned.state}`);
  return planned.exposures;
}

const requests = ['/', '/a', '/a/b', '/c'];
const pathsIn = (rules: unknown): string =>
  requests.filter((path) => JSON.stringify(rules).includes(JSON.stringify(pattern(path)))).join();

/** Formats a decision: its verb and name, the paths that it writes or keeps, and its reason. */
function textOf(one: Decision): string {
  const rules =
    'fields' in one
      ? (one.fields.spec as JsonObject).rules
      : 'difference' in one
        ? one.difference.to
        : undefined;
  const paths = rules === undefined ? [] : [pathsIn(rules)];
  const reason = 'reason' in one && one.reason !== undefined ? [one.reason] : [];
  return [one.verb, one.child.name, ...paths, ...reason].join(' ').trim();
}

interface Case extends Given {
  readonly reason: string;
  readonly want: readonly string[];
}

const key = (name: string): string => keyOf(refTo(ingress, name));
const conflict = { reason: 'Conflict', message: 'others write it', transient: true };
const noUrl = { blocked: { reason: 'AuthUrlMissing', message: 'set AUTH_URL' } };
const names = (count: number, more = 0): readonly KubeObject[] =>
  Array.from({ length: count }, (_, at) =>
    live(`old-${at}`, [], (draft) => {
      draft.spec.rules = rulesOf(Array.from({ length: more }, (_, n) => `/p${at}-${n}`));
    }),
  );

const many = Array.from({ length: 1025 }, (_, n) => `/p${n}`);

const cases: Record<string, Case> = {
  'G-6 InPlace': {
    reason: 'an Ingress without drift is not written',
    desired: [gate('u', ['/a']), gate('public', ['/'])],
    live: [live('u', ['/a']), live('public', ['/'])],
    want: ['none u', 'none public'],
  },
  'G-3 New': {
    reason: 'protected Ingresses are created first',
    desired: [gate('public', ['/']), gate('u', ['/a'])],
    live: [],
    want: ['create u /a', 'create public /'],
  },
  'G-3 Swapped': {
    reason: 'an Ingress may be written twice: before and after another one',
    desired: [gate('u', ['/c']), gate('v', ['/a'])],
    live: [live('u', ['/a']), live('v', ['/c'])],
    want: ['update u /a,/c', 'update v /a,/c', 'update u /c', 'update v /a'],
  },
  'G-2 NeverEmpty': {
    reason: 'a public Ingress that loses all its paths gets others at the same time',
    desired: [gate('public', ['/c'])],
    live: [live('public', ['/a']), live('u', ['/a/b'])],
    want: ['update public /c', 'delete u'],
  },
  'G-3 NewInTwoSteps': {
    reason: 'a new Ingress gets its second path once another one has lost it',
    desired: [gate('public', ['/', '/a'])],
    live: [live('u', ['/a'])],
    want: ['delete u', 'create public /,/a'],
  },
  'G-3 Unwanted': {
    reason: 'an unwanted Ingress loses its paths before it is deleted',
    desired: [],
    live: [live('u', ['/', '/a/b']), live('v', ['/a'])],
    want: ['withdraw u /a/b', 'delete v', 'delete u'],
  },
  'G-3 BeingDeleted': {
    reason: 'an Ingress that is being deleted loses its paths, and the run waits for its deletion',
    desired: [gate('u', ['/a'])],
    live: [live('u', ['/a', '/c'], deleting)],
    want: ['withdraw u /a', 'wait u ChildDeleting'],
  },
  'G-3 UnwantedBeingDeleted': {
    reason: 'an unwanted Ingress that is being deleted loses its paths, too',
    desired: [gate('v', ['/c'])],
    live: [live('u', ['/a'], deleting), live('v', ['/c'])],
    want: ['withdraw u', 'wait u ChildDeleting', 'none v'],
  },
  'G-3 RepairedFirst': {
    reason: 'authorization is restored first, with the live paths; then the paths change',
    desired: [gate('u', ['/a', '/c'])],
    live: [opened(live('u', ['/a']))],
    want: ['update u /a', 'update u /a,/c'],
  },
  'G-3 RepairedOnly': {
    reason: 'authorization is restored in one write if no path changes',
    desired: [gate('u', ['/a']), gate('public', ['/'])],
    live: [opened(live('u', ['/a'])), live('public', ['/'])],
    want: ['update u /a', 'none public'],
  },
  'G-3 NothingToRepair': {
    reason: 'an Ingress without paths admits nothing, so it is written once, as desired',
    desired: [gate('u', ['/a'])],
    live: [opened(live('u', []))],
    want: ['update u /a'],
  },
  'G-3 RepairedBeforeWithdrawal': {
    reason: 'a repair of authorization does not wait for other writes',
    desired: [gate('u', ['/a']), gate('v', ['/c']), gate('public', ['/'])],
    live: [opened(live('u', ['/a', '/c'])), live('v', [], foreign), live('public', ['/'])],
    want: ['update u /a,/c', 'block v ErrResourceExists', 'wait u ExposurePending', 'none public'],
  },
  'G-3 Foreign': {
    reason:
      'a foreign Ingress is never written; an Ingress that would serve its requests waits for it',
    desired: [gate('u', ['/a']), gate('v', ['/c']), gate('public', ['/'])],
    live: [live('u', [], foreign)],
    want: ['create v /c', 'block u ErrResourceExists', 'wait public ExposurePending'],
  },
  'C-6 ForeignUnwanted': {
    reason: 'an unwanted Ingress of another owner is ignored',
    desired: [gate('u', ['/a'])],
    live: [live('u', ['/a']), live('theirs', ['/c'], foreign)],
    want: ['none u'],
  },
  'G-3 RepairedWithoutNeeds': {
    reason: 'an exposed Ingress is repaired even if a child that it needs is not up to date',
    desired: [
      { type: deployment, name: 'app', body: {}, blocked: { reason: 'No', message: '' } },
      gate('u', ['/a'], { needs: [{ type: deployment, name: 'app' }] }),
    ],
    live: [opened(live('u', ['/a']))],
    want: ['update u /a'],
  },
  'G-3 Unreadable': {
    reason: 'an Ingress with unknown paths may serve any request',
    desired: [gate('u', ['/a']), gate('public', ['/c'])],
    live: [live('w', []), live('u', ['/a'])],
    world: { children: unreadableAmong(['w'], [live('w', []), live('u', ['/a'])]) },
    want: ['block w UnreadableChild', 'wait public ExposurePending', 'none u'],
  },
  'G-3 Contested': {
    reason: 'a contested Ingress keeps its own reason',
    desired: [gate('public', ['/', '/a']), gate('u', ['/a/b'])],
    live: [live('public', ['/a'])],
    detectFight: ({ verb, child }) =>
      verb === 'update' && child.name === 'public' ? 'left' : undefined,
    want: ['create u /a/b', 'defer public Contested'],
  },
  'G-3 ContestedProtection': {
    reason: 'authorization is restored even if others keep removing it',
    desired: [gate('u', ['/a', '/c']), gate('public', ['/'])],
    live: [live('u', ['/a'])],
    detectFight: ({ child }) => (child.name === 'u' ? 'left' : undefined),
    want: ['update u /a,/c', 'create public /'],
  },
  'G-3 Refused': {
    reason: 'after a refused write, Ingresses that would serve the same requests wait',
    desired: [gate('u', ['/a', '/c']), gate('public', ['/'])],
    live: [live('u', ['/a'])],
    world: {
      asked: new Map([
        [
          key('u'),
          {
            version: `${version.uid}/${version.resourceVersion}`,
            desired: desiredDigest(fieldsOf(gate('u', ['/a', '/c']))),
            after: undefined,
            refusal: { ...conflict, reason: 'Invalid' },
          },
        ],
      ]),
    },
    want: ['fail u Invalid', 'wait public ExposurePending'],
  },
  'G-3 Waiting': {
    reason:
      'while an Ingress waits for another child, Ingresses that would serve the same requests wait, too',
    desired: [
      { type: deployment, name: 'app', body: {}, blocked: { reason: 'No', message: '' } },
      gate('u', ['/a'], { needs: [{ type: deployment, name: 'app' }] }),
      gate('public', ['/']),
    ],
    live: [],
    want: ['wait u DependencyPending', 'wait public ExposurePending'],
  },
  'G-3 GivenUp': {
    reason: 'an Ingress counts with every path that it had in this run',
    desired: [gate('u', ['/a']), gate('public', ['/c'])],
    live: [live('u', ['/a'])],
    world: {
      givenUp: new Map([[key('u'), conflict]]),
      possiblePaths: new Map([[key('u'), new Set([pattern('/a'), pattern('/c')])]]),
    },
    want: ['fail u Conflict', 'wait public ExposurePending'],
  },
  'G-3 GivenUpAndForeign': {
    reason: 'an Ingress that failed and became foreign is reported as foreign',
    desired: [gate('u', ['/a'])],
    live: [live('u', ['/c'], foreign)],
    world: {
      givenUp: new Map([[key('u'), conflict]]),
      possiblePaths: new Map([[key('u'), new Set([pattern('/a'), pattern('/c')])]]),
    },
    want: ['block u ErrResourceExists'],
  },
  'G-3 GivenUpWithoutRepair': {
    reason: 'an Ingress that failed is not repaired in the same run',
    desired: [gate('u', ['/a'])],
    live: [opened(live('u', ['/a']))],
    world: {
      givenUp: new Map([[key('u'), conflict]]),
      possiblePaths: new Map([[key('u'), new Set([pattern('/a'), pattern('/c')])]]),
    },
    want: ['fail u Conflict'],
  },
  'G-1 Blocked': {
    reason: 'without AUTH_URL nothing is written, and Ingresses without authorization are deleted',
    desired: [gate('u', ['/a'], noUrl), gate('v', ['/c'], noUrl), gate('public', ['/', '/a/b'])],
    live: [live('u', ['/a']), opened(live('v', ['/c'])), live('public', ['/'])],
    want: ['delete v AuthUrlMissing', 'block u AuthUrlMissing'],
  },
  'G-1 BlockedPublic': {
    reason: 'a public Ingress that is blocked never had authorization to lose, so it stays',
    desired: [gate('public', ['/'], noUrl)],
    live: [live('public', ['/'])],
    want: ['block public AuthUrlMissing'],
  },
  'G-1 BlockedSeveral': {
    reason: 'without AUTH_URL all Ingresses without authorization are deleted first',
    desired: ['r', 's', 't', 'u', 'v'].map((name) => gate(name, ['/a'], noUrl)),
    live: ['r', 's', 't', 'u', 'v'].map((name) =>
      name === 's' || name === 'u' ? opened(live(name, ['/a'])) : live(name, ['/a']),
    ),
    want: [
      'delete s AuthUrlMissing',
      'delete u AuthUrlMissing',
      'block r AuthUrlMissing',
      'block t AuthUrlMissing',
      'block v AuthUrlMissing',
    ],
  },
  'G-1 BlockedNotOurs': {
    reason: 'without AUTH_URL a foreign Ingress is not deleted',
    desired: [gate('u', ['/a'], noUrl)],
    live: [opened(live('u', ['/a'], foreign))],
    want: ['block u AuthUrlMissing'],
  },
  'G-1 BlockedBeingDeleted': {
    reason: 'without AUTH_URL an Ingress that is being deleted is not deleted again',
    desired: [gate('u', ['/a'], noUrl)],
    live: [opened(live('u', ['/a'], deleting))],
    want: ['block u AuthUrlMissing'],
  },
  'G-1 BlockedUnreadable': {
    reason: 'without AUTH_URL an unreadable Ingress is not deleted, because it may be protected',
    desired: [gate('u', ['/a'], noUrl)],
    live: [live('u', ['/a'])],
    world: { children: unreadableAmong(['u'], [live('u', ['/a'])]) },
    want: ['block u AuthUrlMissing'],
  },
  'G-1 BlockedNew': {
    reason: 'without AUTH_URL no Ingress is created',
    desired: [gate('u', ['/a'], noUrl), gate('public', ['/'])],
    live: [],
    want: ['block u AuthUrlMissing'],
  },
  'G-3 AsManyAsAllowed': {
    reason: '256 Ingresses are written in a safe order',
    desired: [],
    live: names(256),
    want: Array.from({ length: 256 }, (_, at) => `delete old-${at}`).toSorted(),
  },
  'G-3 TooMany': {
    reason:
      'beyond 256 Ingresses only authorization is restored, and the message names an unwanted Ingress',
    desired: [gate('u', ['/a']), gate('v', ['/c']), gate('w', ['/a/b'])],
    live: [opened(live('u', ['/a'])), live('w', ['/a/b']), ...names(255)],
    want: ['update u /a', 'block v TooManyIngresses', 'none w', 'block old-0 TooManyIngresses'],
  },
  'G-3 TooManyPaths': {
    reason: 'beyond 1,024 paths only authorization is restored',
    desired: [gate('v', ['/c'])],
    live: names(1, 1025),
    want: ['block v TooManyIngresses', 'block old-0 TooManyIngresses'],
  },
  'G-3 AllPaths': {
    reason: '1,024 paths are written in a safe order',
    desired: [gate('v', ['/c'])],
    live: names(1, 1024),
    want: ['create v /c', 'delete old-0'],
  },
  'G-3 TooManyDesired': {
    reason: 'beyond the limit the desired Ingresses carry the message if none is unwanted',
    desired: [gate('u', ['/a', '/c'])],
    live: [
      live('u', [], (draft) => {
        draft.spec.rules = rulesOf(Array.from({ length: 1025 }, (_, n) => `/p${n}`));
      }),
    ],
    want: ['block u TooManyIngresses'],
  },
  'G-3 ManyInPlace': {
    reason: 'beyond the limit an Ingress without drift does not make the resource Stalled',
    desired: [gate('u', many)],
    live: [live('u', many)],
    want: ['none u'],
  },
  'G-3 ManyRepaired': {
    reason:
      'beyond the limit the repair of an Ingress is its only decision, so that an Event reports it',
    desired: [gate('u', many)],
    live: [opened(live('u', many))],
    want: ['update u'],
  },
};

/** Covers Ingresses of other kinds, whose rules may have no paths. */
const pathless: typeof cases = {
  Repaired: {
    reason: 'an Ingress without paths makes no other Ingress wait',
    desired: [gate('a', []), gate('public', ['/'])],
    live: [
      edited(live('a', []), { by: 'kubectl' }, ({ spec }) => {
        spec.ingressClassName = 'other';
      }),
    ],
    want: ['create public /', 'update a'],
  },
  Kept: {
    reason: 'an Ingress without paths and without drift is not written',
    desired: [gate('a', [])],
    live: [live('a', [])],
    want: ['none a'],
  },
  Closed: {
    reason:
      'rules that are no longer desired are removed by a patch, because an apply might leave them to another manager',
    desired: [bare('a')],
    live: [live('a', ['/a'])],
    want: ['update a /a', 'update a', 'update a'],
  },
  ClosedInOrder: {
    reason: 'paths that are no longer desired are withdrawn in the order of all Ingresses',
    desired: [bare('u'), gate('v', ['/c']), gate('public', ['/'])],
    live: [live('u', ['/', '/a/b']), live('v', ['/a'])],
    want: [
      'update u /,/a/b',
      'update v /a,/c',
      'update u /a/b',
      'update v /c',
      'update u',
      'update u',
      'create public /',
    ],
  },
  RepairedAndClosed: {
    reason: 'authorization is restored first, with the live paths',
    desired: [bare('u')],
    live: [opened(live('u', ['/a', '/c']))],
    want: ['update u /a,/c', 'update u', 'update u'],
  },
  AddedByOthers: {
    reason: 'rules of other managers are withdrawn, even without drift of our fields',
    desired: [bare('a')],
    live: [
      edited(bareLive('a'), { by: 'kubectl' }, ({ spec }) => {
        spec.rules = rulesOf(['/a']);
      }),
    ],
    want: ['withdraw a'],
  },
};

it('an Ingress with the same paths in another order is written as desired', () => {
  const desired = gate('u', ['/a', '/c']);
  const found = decided({ desired: [desired], live: [live('u', ['/c', '/a'])] });
  expect(found).toMatchObject([{ verb: 'update', fields: { spec: desired.body.spec } }]);
});

it('a path keeps its backend until it is withdrawn', () => {
  const [first] = decided(pathless.RepairedAndClosed as Case);
  expect(first).toMatchObject({
    fields: { spec: { defaultBackend, rules: rulesOf(['/a', '/c']) } },
  });
});

it('an Ingress that loses its last path ends exactly as desired', () => {
  const [, first, last] = decided(pathless.Closed as Case);
  const spec = { ingressClassName: 'nginx', defaultBackend };
  expect(first).toMatchObject({
    fields: { spec: { ...spec, rules: [{ host: 'withdrawn.invalid' }] } },
  });
  expect(last).toMatchObject({ lock: 'previous', fields: fieldsOf(bare('a')) });
});

describe('decisions about Ingresses without paths', () => {
  it.each(casesOf(pathless))('%s', (_, { reason, want, ...given }) => {
    expect(decided(given).map(textOf), reason).toEqual(want);
  });
});

function unreadableAmong(those: readonly string[], all: readonly KubeObject[]): World['children'] {
  const { children } = worldOf(...all);
  const entries = [...children].map(([at, child]) =>
    those.includes(child.name)
      ? ([at, withoutContent(child, 'too deep')] as const)
      : ([at, child] as const),
  );
  return new Map(entries);
}

describe('decisions about exposing children', () => {
  it.each(Object.entries(cases))('%s', (name, { reason, want, ...given }) => {
    const found = decided(given).map(textOf);
    expect(name === 'G-3 AsManyAsAllowed' ? found.toSorted() : found, reason).toEqual(want);
  });
});

it('G-3 too many Ingresses are reported with their number and the remedy', () => {
  const [first] = decided(cases['G-3 TooManyPaths'] as Case);
  expect(first).toMatchObject({
    message:
      'the 1 Ingresses of this resource exceed the limit of 256 Ingresses or 1024 paths, so no path is exposed or withdrawn: delete the unwanted Ingresses, those without authorization first',
  });
});

describe('the writes of one Ingress in one run', () => {
  const swapped = cases['G-3 Swapped'] as Case;
  const unwanted = cases['G-3 Unwanted'] as Case;

  it('are locked to the version that was read, then to the version that the previous write returned', () => {
    const [first, other, second] = decided(swapped);
    expect([first, other]).toMatchObject([{ lock: version }, { lock: version }]);
    expect(second).toMatchObject({ lock: 'previous' });
    const [withdrawal, deletion, last] = decided(unwanted);
    expect([withdrawal, deletion]).toMatchObject([{ lock: version }, { lock: version }]);
    expect(last).toMatchObject({ lock: 'previous' });
  });

  it('each list their own changes', () => {
    const [first, , second] = decided(swapped);
    const difference = (from: readonly string[], to: readonly string[]) => ({
      path: 'spec.rules',
      from: rulesOf(from),
      to: rulesOf(to),
    });
    expect(first).toMatchObject({ differences: [difference(['/a'], ['/a', '/c'])] });
    expect(second).toMatchObject({ differences: [difference(['/a', '/c'], ['/c'])] });
    const [withdrawal] = decided(unwanted);
    expect(withdrawal).toMatchObject({ difference: difference(['/', '/a/b'], ['/a/b']) });
  });

  it('keep the needs of the first write', () => {
    const needs = [{ type: deployment, name: 'app' }];
    const desired = [
      { type: deployment, name: 'app', body: {} },
      ...[gate('u', ['/a/b', '/']), gate('v', ['/a'])].map((one) => ({ ...one, needs })),
    ];
    const writes = decided({ desired, live: [] });
    expect(writes.map(textOf)).toEqual(['create u /a/b', 'create v /a', 'update u /,/a/b']);
    for (const write of writes)
      expect(write).toMatchObject({ needs: [{ kind: 'Deployment', name: 'app' }] });
    expect(writes[2]).toMatchObject({ lock: 'previous' });
  });

  it('keep all other fields of the decision', () => {
    const gates = [
      gate('u', ['/a', '/c'], { needs: [{ type: deployment, name: 'app' }] }),
      { type: deployment, name: 'app', body: {} },
    ];
    const fought: FightDetector = ({ verb }) => (verb === 'update' ? 'left' : undefined);
    const [, last] = decided({
      desired: gates,
      live: [opened(live('u', ['/a']))],
      detectFight: fought,
    });
    expect(last).toMatchObject({ verb: 'update', lock: 'previous', repeated: true });
  });
});

describe('a desired Ingress that is in no list', () => {
  const desired = [gate('u', ['/a']), gate('v', ['/c'])];
  const planned = (there: readonly KubeObject[], over: Partial<World> = {}) => {
    const about = { kind: { ...app, desired: () => desired }, resource };
    const { planned: found } = planWithResults({ ...about, ...worldOf(...there), ...over }, there);
    return found.state === 'unseen' ? (found.names ?? []).map(({ name }) => name) : found.state;
  };
  const listing = (kind: string, group: string) => ({
    resource: {
      ...resource,
      status: { children: [{ apiVersion: `${group}/v1`, kind, name: 'u' }] },
    },
  });

  it('is created while nothing is exposed', () => {
    expect(planned([])).toBe('planned');
    expect(planned([live('u', ['/a'], foreign)])).toBe('planned');
    expect(planned([], listing('Deployment', 'apps'))).toEqual([]);
  });

  it('is read by name once any Ingress is exposed, because it may exist without its labels', () => {
    expect(planned([live('u', ['/a'])])).toEqual(['v']);
    expect(planned([live('old', ['/a'])])).toEqual(['u', 'v']);
    expect(planned([], listing('Ingress', 'networking.k8s.io'))).toEqual(['u', 'v']);
  });

  it('is read only once', () => {
    expect(planned([live('u', ['/a'])], { absent: new Set([key('v')]) })).toBe('planned');
    expect(planned([live('u', ['/a'])], { unread: new Map([[key('v'), conflict]]) })).toBe(
      'planned',
    );
  });
});

describe('a desired Ingress that does not exist yet', () => {
  const workload: Child = { type: deployment, name: 'app', body: {} };
  const needing = gate('u', ['/a'], { needs: [{ type: deployment, name: 'app' }] });

  it('is created once the children that it needs are up to date', () => {
    const [first] = decided({ desired: [workload, needing], live: [] });
    expect(first).toMatchObject({ verb: 'create', needs: [{ kind: 'Deployment', name: 'app' }] });
  });
});

describe('C-6 an Ingress whose Service is foreign', () => {
  const theirs = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop', namespace: 'ns', ...version },
  } as unknown as KubeObject;
  const front: Child = { type: service, name: 'shop', body: {} };
  const acting = (name: string, paths: readonly string[]): Child =>
    gate(name, paths, { actsOn: { type: service, name: 'shop' } });

  it('is deleted with a reason if it exists, and waits if not', () => {
    const given = {
      desired: [front, acting('u', ['/a']), acting('v', ['/c'])],
      live: [theirs, live('u', ['/a'])],
    };
    expect(decided(given)).toMatchObject([
      {
        verb: 'delete',
        child: { name: 'u' },
        reason: 'TargetNotOwned',
        message: 'Ingress u acts on Service shop, which is not managed by this resource',
      },
      {
        verb: 'wait',
        child: { name: 'v' },
        reason: 'DependencyPending',
        message: 'Ingress v waits for Service shop',
      },
    ]);
  });

  it('causes the deletion of all other Ingresses, even if a public one has a foreign Service, too', () => {
    const desired = [front, acting('public', ['/']), acting('u', ['/a']), gate('v', ['/c'])];
    const there = [theirs, live('u', ['/a']), live('public', ['/']), live('v', ['/c'])];
    const found = decided({ desired, live: there });
    expect(found.map(textOf)).toEqual([
      'delete public TargetNotOwned',
      'delete u TargetNotOwned',
      'delete v TargetNotOwned',
    ]);
    const cause = 'Ingress u acts on Service shop, which is not managed by this resource';
    expect(new Set(found.map((one) => 'message' in one && one.message))).toEqual(new Set([cause]));
  });

  it('does not pass its reason on to other Ingresses', () => {
    const desired = [front, acting('public', ['/'])];
    const there = [theirs, live('public', ['/']), live('old', ['/a'])];
    expect(decided({ desired, live: there }).map(textOf)).toEqual([
      'delete public TargetNotOwned',
      'delete old',
    ]);
    const leaving = [theirs, live('u', ['/a'], deleting)];
    expect(decided({ desired: [front, acting('u', ['/a'])], live: leaving }).map(textOf)).toEqual([
      'withdraw u',
      'wait u ChildDeleting',
    ]);
  });

  it('causes the deletion of all other Ingresses if it is protected, but not if it is public', () => {
    const others = [live('u', ['/a']), live('public', ['/'])];
    const verbs = (desired: readonly Child[]) =>
      decided({ desired: [front, ...desired], live: [theirs, ...others] }).map(textOf);
    expect(verbs([acting('u', ['/a']), gate('public', ['/'])])).toEqual([
      'delete public TargetNotOwned',
      'delete u TargetNotOwned',
    ]);
    expect(verbs([gate('u', ['/a']), acting('public', ['/'])])).toEqual([
      'delete public TargetNotOwned',
      'none u',
    ]);
  });
});
