import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import { configMap, namespace, service } from '../../shared/kinds/child-types/core.ts';
import { authUrlAnnotation, pathMark } from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { Decided, Decision, DecisionBody } from '../../shared/plan/decision/decision.ts';
import {
  actsOnForeign,
  requireNeeds,
  unseenTargets,
} from '../../shared/plan/decision/dependencies.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import { refOf, type World } from '../../shared/plan/observed/world.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { planWithAnswers } from '../support/answers.ts';
import { casesOf } from '../support/cases.ts';
import { containerAppAutoscaler, containerAppUid } from '../support/children-of-container-app.ts';
import { kindsFor } from '../support/config.ts';
import { observeResource } from '../support/observe.ts';
import { worldOf } from '../support/worlds.ts';

const containerApp = kindsFor({
  authUrl: 'https://auth.example.com/check',
  ingressClass: 'nginx',
}).find(({ kind }) => kind === 'ContainerApp') as Kind;

const owner = {
  apiVersion: 'gateway.example.com/v1alpha1',
  kind: 'ContainerApp',
  name: 'shop',
  uid: containerAppUid,
  controller: true,
};

const resource = observeResource({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  metadata: { name: 'shop', namespace: 'default', uid: containerAppUid, resourceVersion: '9' },
  spec: { image: 'nginx', minReplicas: 1, maxReplicas: 3, port: 80 },
} as unknown as KubeObject);

interface Whose {
  readonly of?: 'us' | 'another' | 'nobody';
  readonly deleting?: boolean;
}

/** A live object whose fields are not up to date. */
function live(
  [kind, name]: readonly [string, string],
  { of = 'us', deleting = false }: Whose = {},
  fields: Partial<KubeObject> & { readonly annotations?: object } = {},
): KubeObject {
  const { annotations = {}, ...rest } = fields;
  const uid = of === 'us' ? containerAppUid : 'another';
  return {
    apiVersion:
      kind === 'Deployment' ? 'apps/v1' : kind === 'Ingress' ? 'networking.k8s.io/v1' : 'v1',
    kind,
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '7',
      annotations,
      ...(of === 'nobody' ? {} : { ownerReferences: [{ ...owner, uid }] }),
      ...(deleting ? { deletionTimestamp: '2026-11-21T10:00:00Z' } : {}),
      managedFields: [],
    },
    spec: {},
    ...rest,
  } as unknown as KubeObject;
}

const decisionsOf = (planned: Plan) => {
  if (planned.state !== 'planned') throw new Error(`the plan is ${planned.state}`);
  return [...planned.decisions, ...planned.exposures];
};

const autoscaler = containerAppAutoscaler();
const target = ['Deployment', 'shop'] as const;

const autoscalers: Record<
  string,
  { reason: string; live: readonly KubeObject[]; want: string; needs?: readonly string[] }
> = {
  Foreign: {
    reason: 'it would scale a foreign object',
    live: [live(target, { of: 'another' }), autoscaler],
    want: 'delete TargetNotOwned',
  },
  Unowned: {
    reason: 'an object without an owner reference is foreign, too',
    live: [live(target, { of: 'nobody' }), autoscaler],
    want: 'delete TargetNotOwned',
  },
  ForeignNew: {
    reason: 'there is no autoscaler to delete',
    live: [live(target, { of: 'another' })],
    want: 'wait DependencyPending',
  },
  NotOurs: {
    reason: 'an autoscaler of another owner is never touched',
    live: [
      live(target, { of: 'another' }),
      containerAppAutoscaler({ metadata: { ownerReferences: [{ ...owner, uid: 'x' }] } }),
    ],
    want: 'block ErrResourceExists',
  },
  Absent: { reason: 'the target comes back', live: [autoscaler], want: 'none' },
  Deleting: {
    reason: 'the target is being deleted, but still ours',
    live: [live(target, { deleting: true }), autoscaler],
    want: 'none',
  },
  NewBesideDeleting: {
    reason: 'the owner of the next object of that name is unknown',
    live: [live(target, { deleting: true })],
    want: 'wait DependencyPending',
  },
  NewBesideAbsent: {
    reason: 'it waits for the creation of the target when the plan is carried out',
    live: [],
    want: 'create',
    needs: ['apps/v1/Deployment/shop'],
  },
  NewBesideOurs: {
    reason: 'the target is ours: a failed update of it blocks nothing',
    live: [live(target)],
    want: 'create',
  },
};

describe('C-6 an autoscaler', () => {
  it.each(casesOf(autoscalers))('%s', (_, { live: children, want, needs }) => {
    const world = { kind: containerApp, resource, ...worldOf(...children) };
    const { planned } = planWithAnswers(world, children);
    const found = decisionsOf(planned).find(
      ({ child }) => child.kind !== 'Ingress' && child.apiVersion === 'autoscaling/v2',
    );
    const why = found !== undefined && 'reason' in found ? ` ${found.reason}` : '';
    expect(`${found?.verb}${why}`).toBe(want);
    expect(found?.needs?.map(keyOf)).toEqual(needs);
    if (found?.verb === 'delete')
      expect(found).toMatchObject({
        lock: { uid: autoscaler.metadata.uid, resourceVersion: '271' },
      });
  });
});

/** Two Services with an Ingress each; everybody may call `/`. */
const twoFronts = (deep: 'protected' | 'public'): Kind => {
  const gate = (name: string, path: string, auth: string | undefined): Child => ({
    type: ingress,
    name,
    actsOn: { type: service, name: `${name}-service` },
    ...(auth === undefined ? {} : { annotations: { [authUrlAnnotation]: auth } }),
    body: { spec: { rules: [{ http: { paths: [{ path: `${pathMark(name)}${path}` }] } }] } },
  });
  const front = (name: string): Child => ({ type: service, name, body: {} });
  return {
    ...containerApp,
    desired: () => [
      front('root-service'),
      front('deep-service'),
      gate('root', '/x', undefined),
      gate('deep', '/x/a', deep === 'protected' ? 'https://auth.example.com/' : undefined),
    ],
  };
};

const door = (name: string, path: string, whose: Whose = {}): KubeObject =>
  live(['Ingress', name], whose, {
    spec: { rules: [{ http: { paths: [{ path: `${pathMark(name)}${path}` }] } }] },
  } as object);
const doors = [door('root', '/x'), door('deep', '/x/a')];
const fronts = (root: Whose, deep: Whose) => [
  live(['Service', 'root-service'], root),
  live(['Service', 'deep-service'], deep),
];
const theirs: Whose = { of: 'another' };

const exposures: Record<
  string,
  {
    reason: string;
    deep: 'protected' | 'public';
    live: readonly KubeObject[];
    want: readonly string[];
  }
> = {
  Protected: {
    reason: 'requests for /a would fall through to / and be admitted',
    deep: 'protected',
    live: [...fronts({}, theirs), ...doors],
    want: ['delete root', 'delete deep'],
  },
  Public: {
    reason: 'requests for / fall through to nothing',
    deep: 'protected',
    live: [...fronts(theirs, {}), ...doors],
    want: ['update deep', 'delete root'],
  },
  PublicBelowPublic: {
    reason: 'requests for /a are admitted by / as well',
    deep: 'public',
    live: [...fronts({}, theirs), ...doors],
    want: ['update root', 'delete deep'],
  },
  Unowned: {
    reason: 'a foreign Ingress is never written, and blocks nothing',
    deep: 'protected',
    live: [...fronts(theirs, theirs), door('root', '/x'), door('deep', '/x/b', theirs)],
    want: ['delete root', 'block deep'],
  },
  New: {
    reason: 'nothing is exposed',
    deep: 'protected',
    live: fronts(theirs, {}),
    want: ['create deep', 'wait root'],
  },
};

describe('C-6 an autoscaler whose target is gone, and contested', () => {
  const children = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }];
  const listing = { ...resource, status: { children } };
  const fought = () => ({ reason: 'Contested', message: 'left to resyncs' }) as const;
  const planWith = (over: Partial<World>) =>
    planWithAnswers(
      { kind: containerApp, resource: listing, ...worldOf(autoscaler), ...over },
      [autoscaler],
      fought,
    ).planned;

  it('is decided on only after the name was read: another object may have taken it', () => {
    expect(planWith({})).toMatchObject({ state: 'unseen', names: children });
  });

  it('stays if there is no object of that name', () => {
    const planned = planWith({ absent: new Set(['apps/v1/Deployment/shop']) });
    const verbs = decisionsOf(planned).map(({ verb, child }) => `${verb} ${child.kind}`);
    expect(verbs).toContain('defer Deployment');
    expect(verbs.filter((one) => one.startsWith('delete'))).toEqual([]);
  });
});

describe('C-6 G-3 Ingresses in front of two Services', () => {
  it.each(casesOf(exposures))('%s', (_, { deep, live: children, want }) => {
    const kind = twoFronts(deep);
    const world = { kind, resource, ...worldOf(...children), absent: absentOf(children) };
    const { planned } = planWithAnswers(world, children);
    const found = decisionsOf(planned).filter(({ child }) => child.kind === 'Ingress');
    expect(found.map(({ verb, child }) => `${verb} ${child.name}`)).toEqual(want);
    for (const one of found) {
      if (one.verb === 'delete') expect(one.reason).toBe('TargetNotOwned');
    }
  });
});

describe('what a write needs', () => {
  const own = { controller: { uid: containerAppUid }, deleting: false } as unknown as ObservedChild;
  const child = (type: Child['type'], name: string, over: Partial<Child> = {}): Child => ({
    type,
    name,
    body: {},
    ...over,
  });
  const decidedOn = (
    one: Child,
    body: DecisionBody,
    observed: ObservedChild | undefined = undefined,
  ): Decided => ({
    child: one,
    observed,
    foreign: false,
    decision: { type: one.type, child: refOf(one), namespace: 'default', ...body } as Decision,
  });
  const make: DecisionBody = { verb: 'create', fields: {}, lost: false };
  const stuck: DecisionBody = { verb: 'block', reason: 'Held', message: 'held' };
  const settings = child(configMap, 'settings');
  const place = child(namespace, 'team-a');
  const needing = child(service, 's', { needs: [settings] });
  const inPlace = child(configMap, 'card', { namespace: 'team-a' });

  const cases: Record<
    string,
    { reason: string; one: Child; others: readonly Decided[]; want: readonly string[] | string }
  > = {
    InPlace: {
      reason: 'the need is checked again right before the write',
      one: needing,
      others: [decidedOn(settings, { verb: 'none' })],
      want: ['v1/ConfigMap/settings'],
    },
    Written: {
      reason: 'this run writes it before',
      one: needing,
      others: [decidedOn(settings, make)],
      want: ['v1/ConfigMap/settings'],
    },
    Stuck: {
      reason: 'no write of it is expected',
      one: needing,
      others: [decidedOn(settings, stuck)],
      want: 'Service s waits for ConfigMap settings',
    },
    Unwanted: {
      reason: 'the kind no longer wants it',
      one: needing,
      others: [],
      want: 'Service s waits for ConfigMap settings',
    },
    NewNamespace: {
      reason: 'a child is created after its Namespace',
      one: inPlace,
      others: [decidedOn(settings, make), decidedOn(place, make)],
      want: ['v1/Namespace/team-a'],
    },
    OwnNamespace: {
      reason: 'a Namespace that exists is not waited for',
      one: inPlace,
      others: [decidedOn(place, stuck, own)],
      want: [],
    },
    DeletedNamespace: {
      reason: 'nothing is created in a Namespace that is being deleted',
      one: inPlace,
      others: [decidedOn(place, stuck, { ...own, deleting: true })],
      want: 'ConfigMap team-a/card waits for Namespace team-a',
    },
    OtherNamespace: {
      reason: 'another Namespace is not waited for, nor an object of the same name',
      one: inPlace,
      others: [
        decidedOn(child(namespace, 'team-b'), stuck),
        decidedOn(child(configMap, 'team-a'), stuck),
      ],
      want: [],
    },
    Namespaced: {
      reason: 'the namespace of a namespaced resource is not its child',
      one: settings,
      others: [decidedOn(place, stuck)],
      want: [],
    },
    Target: {
      reason: 'a desired target that is missing is created first',
      one: child(service, 's', { actsOn: settings }),
      others: [decidedOn(settings, make)],
      want: ['v1/ConfigMap/settings'],
    },
    NoTarget: {
      reason: 'a target that is not desired cannot be waited for',
      one: child(service, 's', { actsOn: settings }),
      others: [],
      want: 'Service s waits for ConfigMap settings',
    },
  };

  it.each(casesOf(cases))('%s', (_, { one, others, want }) => {
    const found = requireNeeds(decidedOn(one, make), others, {
      ...worldOf(),
      kind: containerApp,
      resource: { ...resource, namespace: '' },
    });
    if (typeof want === 'string')
      expect(found).toMatchObject({
        verb: 'wait',
        reason: 'DependencyPending',
        message: want,
      });
    else {
      expect(found.verb).toBe('create');
      expect((found.needs ?? []).map(keyOf)).toEqual(want);
    }
  });

  it('is asked for by a write only', () => {
    const one = decidedOn(needing, stuck);
    expect(requireNeeds(one, [], { ...worldOf(), kind: containerApp, resource })).toBe(
      one.decision,
    );
  });

  it('of a live child includes its target, read by name unless this run is certain to create it', () => {
    const acting = decidedOn(child(service, 's', { actsOn: settings }), { verb: 'none' }, own);
    const unseen = (target: Decided) =>
      unseenTargets([target, acting], { resource, ...worldOf() } as World).map(keyOf);
    const made = decidedOn(settings, make);
    expect(unseen(made)).toEqual([]);
    const waits = { ...made, decision: { ...made.decision, needs: [refOf(place)] } };
    expect(unseen(waits)).toEqual(['v1/ConfigMap/settings']);
    expect(unseen(decidedOn(settings, stuck))).toEqual(['v1/ConfigMap/settings']);
  });

  it('names the object that a child would act on', () => {
    const { message } = actsOnForeign(refOf(needing), refOf(settings));
    expect(message).toBe(
      'Service s acts on ConfigMap settings, which is not managed by this resource',
    );
  });
});

const absentOf = (children: readonly KubeObject[]): ReadonlySet<string> => {
  const there = new Set(children.map(({ metadata }) => metadata.name));
  return new Set(
    ['root', 'deep']
      .filter((name) => !there.has(name))
      .map((name) => keyOf({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name })),
  );
};
