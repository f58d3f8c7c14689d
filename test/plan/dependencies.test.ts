import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import { job } from '../../shared/kinds/child-types/batch.ts';
import { configMap, namespace, service } from '../../shared/kinds/child-types/core.ts';
import { authUrlAnnotation, pathMarker } from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { Decided, Decision, DecisionBody } from '../../shared/plan/decision/decision.ts';
import {
  actsOnForeign,
  requireNeeds,
  siblingsOf,
} from '../../shared/plan/decision/dependencies.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import { refOf, type World } from '../../shared/plan/observed/world.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { casesOf } from '../support/cases.ts';
import { containerAppAutoscaler, containerAppUid } from '../support/children-of-container-app.ts';
import { kindsFor } from '../support/config.ts';
import { observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
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

/** A live object with drift. */
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
    reason: 'is deleted if its target belongs to another owner',
    live: [live(target, { of: 'another' }), autoscaler],
    want: 'delete TargetNotOwned',
  },
  Unowned: {
    reason: 'is deleted if its target has no owner reference',
    live: [live(target, { of: 'nobody' }), autoscaler],
    want: 'delete TargetNotOwned',
  },
  ForeignNew: {
    reason: 'waits, if not yet created, while its target is foreign',
    live: [live(target, { of: 'another' })],
    want: 'wait DependencyPending',
  },
  NotOurs: {
    reason: 'is not touched if it belongs to another owner',
    live: [
      live(target, { of: 'another' }),
      containerAppAutoscaler({ metadata: { ownerReferences: [{ ...owner, uid: 'x' }] } }),
    ],
    want: 'block ErrResourceExists',
  },
  Absent: {
    reason: 'stays while its target is absent, because the run creates the target',
    live: [autoscaler],
    want: 'none',
  },
  Deleting: {
    reason: 'stays while our target is being deleted',
    live: [live(target, { deleting: true }), autoscaler],
    want: 'none',
  },
  NewBesideDeleting: {
    reason:
      'waits, if not yet created, while its target is being deleted, because another owner may take the name',
    live: [live(target, { deleting: true })],
    want: 'wait DependencyPending',
  },
  NewBesideAbsent: {
    reason: 'is created in the run that creates its target, and after it',
    live: [],
    want: 'create',
    needs: ['apps/v1/Deployment/shop'],
  },
  NewBesideOurs: {
    reason: 'is created even if the update of its target fails, because the target is ours',
    live: [live(target)],
    want: 'create',
  },
};

describe('C-6 an autoscaler', () => {
  it.each(casesOf(autoscalers))('%s', (_, { live: children, want, needs }) => {
    const absent = new Set(children.includes(autoscaler) ? ['apps/v1/Deployment/shop'] : []);
    const world = { kind: containerApp, resource, ...worldOf(...children), absent };
    const { planned } = planWithResults(world, children);
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
    body: { spec: { rules: [{ http: { paths: [{ path: `${pathMarker(name)}${path}` }] } }] } },
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
    spec: { rules: [{ http: { paths: [{ path: `${pathMarker(name)}${path}` }] } }] },
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
    reason:
      'deletes a protected Ingress of a foreign Service only after the public Ingress that would respond its requests',
    deep: 'protected',
    live: [...fronts({}, theirs), ...doors],
    want: ['delete root', 'delete deep'],
  },
  Public: {
    reason: 'deletes only the Ingress of a foreign Service if no other would respond its requests',
    deep: 'protected',
    live: [...fronts(theirs, {}), ...doors],
    want: ['update deep', 'delete root'],
  },
  PublicBelowPublic: {
    reason: 'keeps the public Ingress / if it would respond to requests of another public Ingress',
    deep: 'public',
    live: [...fronts({}, theirs), ...doors],
    want: ['update root', 'delete deep'],
  },
  Unowned: {
    reason: 'never writes a foreign Ingress, which blocks no other child',
    deep: 'protected',
    live: [...fronts(theirs, theirs), door('root', '/x'), door('deep', '/x/b', theirs)],
    want: ['delete root', 'block deep'],
  },
  New: {
    reason: 'lets a new Ingress wait while its Service is foreign',
    deep: 'protected',
    live: fronts(theirs, {}),
    want: ['create deep', 'wait root'],
  },
};

describe('C-6 an autoscaler whose target was deleted and is contested', () => {
  const children = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }];
  const listing = { ...resource, status: { children } };
  const about = { kind: containerApp, resource: listing };
  const fought = () => 'left to resyncs';
  const planWith = (over: Partial<World>) =>
    planWithResults({ ...about, ...worldOf(autoscaler), ...over, detectFight: fought }, [
      autoscaler,
    ]).planned;

  it('is planned only after the target was read by name, because a foreign object may have taken the name', () => {
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
    const { planned } = planWithResults(world, children);
    const found = decisionsOf(planned).filter(({ child }) => child.kind === 'Ingress');
    expect(found.map(({ verb, child }) => `${verb} ${child.name}`)).toEqual(want);
    for (const one of found) {
      if (one.verb === 'delete') expect(one.reason).toBe('TargetNotOwned');
    }
  });
});

describe('the needs of a write', () => {
  const own = { controller: containerAppUid, deleting: false } as unknown as ObservedChild;
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
  const make: DecisionBody = { verb: 'create', fields: {}, existed: false };
  const stuck: DecisionBody = { verb: 'block', reason: 'Held', message: 'held' };
  const settings = child(configMap, 'settings');
  const place = child(namespace, 'team-a');
  const migration = child(job, 'migrate');
  const needing = child(service, 's', { needs: [settings] });
  const inPlace = child(configMap, 'card', { namespace: 'team-a' });

  const cases: Record<
    string,
    { reason: string; one: Child; others: readonly Decided[]; want: readonly string[] | string }
  > = {
    InPlace: {
      reason: 'a need that exists is checked again right before the write',
      one: needing,
      others: [decidedOn(settings, { verb: 'none' })],
      want: ['v1/ConfigMap/settings'],
    },
    Written: {
      reason: 'a need that the run writes comes before the write',
      one: needing,
      others: [decidedOn(settings, make)],
      want: ['v1/ConfigMap/settings'],
    },
    Stuck: {
      reason: 'a need that no write will satisfy blocks the write',
      one: needing,
      others: [decidedOn(settings, stuck)],
      want: 'wait DependencyPending: Service s waits for ConfigMap settings',
    },
    Unwanted: {
      reason: 'a need that is no longer desired is not waited for',
      one: needing,
      others: [],
      want: 'block InvalidSpec: Service s waits for ConfigMap settings, which is not a child of the resource',
    },
    CompleteStep: {
      reason: 'a step is waited for until it is complete',
      one: child(service, 's', { needs: [{ ...migration, until: 'complete' }] }),
      others: [decidedOn({ ...migration, step: 'once' }, make)],
      want: 'wait DependencyPending: Service s waits for Job migrate',
    },
    CompleteJob: {
      reason: 'whether a Job that is not a step is complete is not known',
      one: child(service, 's', { needs: [{ ...migration, until: 'complete' }] }),
      others: [decidedOn(migration, { verb: 'none' })],
      want: 'block InvalidSpec: Service s waits for Job migrate, which is not a step',
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
      reason: 'no child is created in a Namespace that is being deleted',
      one: inPlace,
      others: [decidedOn(place, stuck, { ...own, deleting: true })],
      want: 'wait DependencyPending: ConfigMap team-a/card waits for Namespace team-a',
    },
    OtherNamespace: {
      reason: 'a child waits neither for another Namespace nor for another object of the same name',
      one: inPlace,
      others: [
        decidedOn(child(namespace, 'team-b'), stuck),
        decidedOn(child(configMap, 'team-a'), stuck),
      ],
      want: [],
    },
    Namespaced: {
      reason: 'a namespaced resource does not wait for its own namespace',
      one: settings,
      others: [decidedOn(place, stuck)],
      want: [],
    },
    Target: {
      reason: 'a missing target is created first if it is desired',
      one: child(service, 's', { actsOn: settings }),
      others: [decidedOn(settings, make)],
      want: ['v1/ConfigMap/settings'],
    },
    NoTarget: {
      reason: 'a target that is not desired is not waited for',
      one: child(service, 's', { actsOn: settings }),
      others: [],
      want: 'block InvalidSpec: Service s waits for ConfigMap settings, which is not a child of the resource',
    },
  };

  it.each(casesOf(cases))('%s', (_, { one, others, want }) => {
    const found = requireNeeds(decidedOn(one, make), siblingsOf(others), {
      ...worldOf(),
      kind: containerApp,
      resource: { ...resource, namespace: '' },
    });
    if (typeof want === 'string')
      expect('reason' in found && `${found.verb} ${found.reason}: ${found.message}`).toBe(want);
    else {
      expect(found.verb).toBe('create');
      expect((found.needs ?? []).map(keyOf)).toEqual(want);
    }
  });

  it('are read only for a write', () => {
    const one = decidedOn(needing, stuck);
    expect(requireNeeds(one, siblingsOf([]), { ...worldOf(), kind: containerApp, resource })).toBe(
      one.decision,
    );
  });

  it('include the object on which a child acts', () => {
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
