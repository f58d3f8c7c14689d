import { describe, expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap, secret, service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { current, inProgress } from '../../shared/kinds/readiness.ts';
import { apiVersionOf, keyOf } from '../../shared/kubernetes.ts';
import { recordFor } from '../../shared/plan/decision/apply-records.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import { rolloutTargetOf } from '../../shared/plan/decision/target.ts';
import { recordText } from '../../shared/plan/observed/applied.ts';
import type { Mark } from '../../shared/plan/observed/rollout-mark.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import type { CompletePlan } from '../../shared/plan/plan.ts';
import { gated, nextMark } from '../../shared/rollout/gate.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { identity, observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { unexplored } from '../support/unexplored.ts';

const minute = (at: number): string => new Date(Date.UTC(2026, 10, 22, 12, at)).toISOString();
const now = new Date(minute(30));
const policy = { timeoutMs: 600_000 };
const observed = observeChild(fooDeployment());
const path = 'spec.template.spec.containers[name="web"].image';

const refOf = (type: ChildType) => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name: type.kind === 'Deployment' ? observed.name : type.kind.toLowerCase(),
});
const about = (type: ChildType) => ({ type, child: refOf(type), namespace: 'default' });
const update = (type: ChildType, changed = path): Decision =>
  ({
    ...about(type),
    verb: 'update',
    lock: 'previous',
    fields: { spec: {} },
    differences: [{ path: changed, from: 'a', to: 'b', writer: undefined }],
  }) as Decision;
const remove = (type: ChildType): Decision =>
  ({ ...about(type), verb: 'delete', lock: 'previous' }) as Decision;
const create = (type: ChildType): Decision =>
  ({ ...about(type), verb: 'create', fields: {}, existed: false }) as Decision;

const needing = (type: ChildType, decision: Decision): Decision => ({
  ...decision,
  needs: [refOf(type)],
});

const mark = (reason: Mark['reason'], since = 20, target?: string): Mark => ({
  reason,
  since: minute(since),
  statusSince: minute(10),
  target,
});

interface Given {
  readonly decisions?: readonly Decision[];
  readonly exposures?: readonly Decision[];
  readonly deletions?: readonly Decision[];
  readonly mark?: Mark;
  readonly edited?: true;
  readonly notReadySince?: number;
}

function worldOf({ mark: rollout, edited, notReadySince }: Given): World {
  const resource = observeResource(foo());
  const children = [deployment, service, configMap, ingress].map((type) => ({
    ...observed,
    ...refOf(type),
    type,
    readiness: notReadySince === undefined ? current : inProgress('pods'),
  }));
  const ready = {
    type: 'Ready',
    reason: 'A',
    message: '',
    observedGeneration: 1,
    status: notReadySince === undefined ? ('True' as const) : ('False' as const),
    lastTransitionTime: minute(notReadySince ?? 0),
  };
  // Records of applies with other fields than those of any decision here.
  const applied = children.flatMap((one) => {
    const record = recordFor(one, { spec: { replicas: 7 } }, { generation: 1 });
    return record === undefined ? [] : [[keyOf(one), recordText(record)] as const];
  });
  return {
    ...unexplored,
    identity,
    kind: fooKind,
    children: new Map(children.map((one) => [keyOf(one), one])),
    resource: {
      ...resource,
      applied: Object.fromEntries(applied),
      ...present({ rollout }),
      generation: resource.generation + (edited ? 1 : 0),
      status: {
        ...resource.status,
        conditions: [ready],
        children: children.map(({ type }) => refOf(type)),
      },
    },
  };
}

function gate(given: Given) {
  const { decisions = [], exposures = [], deletions = [] } = given;
  const planned: CompletePlan = {
    state: 'planned',
    desiredKeys: [],
    decisions,
    exposures,
    deletions,
  };
  const world = worldOf(given);
  return gated(planned, world, { now, policy });
}

const verbsOf = (found: ReturnType<typeof gate>): readonly string[] =>
  found.planned.state === 'planned'
    ? [...found.planned.decisions, ...found.planned.exposures, ...found.planned.deletions].map(
        ({ verb, child }) => `${verb} ${child.kind}`,
      )
    : [];

const restart = update(deployment);

const cases: Readonly<
  Record<
    string,
    Given & { readonly reason: string; readonly role: string; readonly verbs: readonly string[] }
  >
> = {
  'a new template': {
    reason: 'it waits, because its pods restart',
    decisions: [restart],
    role: 'waits',
    verbs: ['hold Deployment'],
  },
  'a recreation for an immutable label': {
    reason: 'it waits, because the child is gone in between',
    decisions: [{ ...update(deployment, 'spec.selector'), recreates: true } as Decision],
    role: 'waits',
    verbs: ['hold Deployment'],
  },
  'a recreation of what nothing running depends on': {
    reason: 'it is written at once, because it disrupts nothing',
    decisions: [{ ...update(configMap, 'immutable'), recreates: true } as Decision],
    role: 'none',
    verbs: ['update ConfigMap'],
  },
  'an edit': {
    reason: 'it is written at once, because its author expects that',
    decisions: [restart],
    edited: true,
    role: 'none',
    verbs: ['update Deployment'],
  },
  'a label': {
    reason: 'it is written at once, because it disrupts nothing',
    decisions: [update(deployment, 'metadata.labels.a')],
    role: 'none',
    verbs: ['update Deployment'],
  },
  'a harmless child together with a new template': {
    reason: 'both wait, because they belong together',
    decisions: [update(configMap, 'data.a'), restart],
    role: 'waits',
    verbs: ['hold ConfigMap', 'hold Deployment'],
  },
  'a new child together with a new template': {
    reason: 'the new child is created at once, because that disrupts nothing',
    decisions: [create(service), restart],
    role: 'waits',
    verbs: ['create Service', 'hold Deployment'],
  },
  'a new child that needs a waiting one': {
    reason: 'it waits, too, because it was made for the new template',
    decisions: [needing(deployment, create(service)), restart],
    role: 'waits',
    verbs: ['hold Service', 'hold Deployment'],
  },
  'a new child that needs another new one': {
    reason: 'it waits, because that one needs a waiting child',
    decisions: [
      needing(service, create(ingress)),
      needing(deployment, create(service)),
      needing(configMap, create(secret)),
      restart,
    ],
    role: 'waits',
    verbs: ['hold Ingress', 'hold Service', 'create Secret', 'hold Deployment'],
  },
  'a deleted child that needs a waiting one': {
    reason: 'it is created again at once, because a rollout delays no repair',
    decisions: [needing(deployment, { ...create(service), existed: true } as Decision), restart],
    role: 'waits',
    verbs: ['create Service', 'hold Deployment'],
  },
  'an unwanted workload': {
    reason: 'its deletion waits, because it interrupts',
    deletions: [remove(deployment)],
    role: 'waits',
    verbs: ['hold Deployment'],
  },
  'an unwanted harmless child together with a new template': {
    reason: 'its deletion waits, because the pods may need it until they restart',
    decisions: [restart],
    deletions: [remove(configMap)],
    role: 'waits',
    verbs: ['hold Deployment', 'hold ConfigMap'],
  },
  'an exposure together with a new template': {
    reason: 'the exposure does not wait, because exposures have their own order',
    decisions: [restart],
    exposures: [update(ingress, 'spec.rules')],
    role: 'waits',
    verbs: ['hold Deployment', 'update Ingress'],
  },
  'under way': {
    reason: 'the resource is written, because it has a slot',
    decisions: [restart],
    mark: mark('RollingOut'),
    role: 'proceeds',
    verbs: ['update Deployment'],
  },
  'under way, but failed': {
    reason: 'the resource is written, because the new version may repair it',
    decisions: [restart],
    mark: mark('RolloutHalted'),
    role: 'proceeds',
    verbs: ['update Deployment'],
  },
  'chosen by another run': {
    reason: 'the resource waits, because the run that chose it may withdraw that',
    decisions: [restart],
    mark: mark('Starting'),
    role: 'waits',
    verbs: ['hold Deployment'],
  },
  'not Ready for long': {
    reason: 'the resource is written, because there is nothing left to disrupt',
    decisions: [restart],
    notReadySince: 15,
    role: 'none',
    verbs: ['update Deployment'],
  },
  'not Ready for a moment': {
    reason: 'the resource waits, because it may still serve and be Ready soon',
    decisions: [restart],
    notReadySince: 25,
    role: 'waits',
    verbs: ['hold Deployment'],
  },
};

describe('gated', () => {
  it.each(casesOf(cases))('%s', (_, { role, verbs, ...given }) => {
    const found = gate(given);
    expect([found.role, verbsOf(found)]).toEqual([role, verbs]);
  });

  it('changes nothing without a policy', () => {
    const world = worldOf({});
    const planned: CompletePlan = {
      state: 'planned',
      desiredKeys: [],
      decisions: [restart],
      exposures: [],
      deletions: [],
    };
    expect(gated(planned, world, { now, policy: undefined })).toEqual({ planned, role: 'none' });
  });
});

const target = rolloutTargetOf(worldOf({}));
const ready = { state: 'Ready' } as const;
const progressing = { state: 'Reconciling', reason: 'Progressing', message: '' } as const;
/** Names the minute of the previous day in which the children were written. */
const before = -60 * 24 * 2;

const marks: Readonly<
  Record<
    string,
    {
      readonly reason: string;
      readonly role: 'none' | 'waits' | 'proceeds';
      readonly mark?: Mark;
      readonly summary?: typeof ready | typeof progressing;
      readonly want: string | undefined;
    }
  >
> = {
  'none, nothing to do': {
    reason: 'without a rollout there is no mark',
    role: 'none',
    want: undefined,
  },
  'none, waits': {
    reason: 'the resource is marked, so that other runs know',
    role: 'waits',
    want: 'Waiting',
  },
  'done before, waits again': {
    reason: 'the resource is marked again for the next version',
    role: 'waits',
    mark: mark('RolledOut'),
    want: 'Waiting',
  },
  'waits already': {
    reason: 'the mark is written once',
    role: 'waits',
    mark: mark('Waiting'),
    want: undefined,
  },
  'chosen by another run': {
    reason: 'the mark is left to that run',
    role: 'waits',
    mark: mark('Starting'),
    want: undefined,
  },
  'waited, nothing to do': {
    reason: 'the mark is removed, because an edit or the previous version removed the need',
    role: 'none',
    mark: mark('Waiting'),
    want: 'none',
  },
  'under way, not Ready': {
    reason: 'the mark stays, because the resource keeps its slot',
    role: 'none',
    mark: mark('RollingOut', before, target),
    summary: progressing,
    want: undefined,
  },
  'under way, Ready': {
    reason: 'the rollout of the resource is complete',
    role: 'none',
    mark: mark('RollingOut', before, target),
    want: 'RolledOut',
  },
  'failed, Ready late': {
    reason: 'the rollout of the resource is complete',
    role: 'none',
    mark: mark('RolloutHalted', before, target),
    want: 'RolledOut',
  },
  'marked a moment ago, Ready, but not written yet': {
    reason: 'the mark stays, because the run that set it is about to write',
    role: 'none',
    mark: mark('RollingOut', 30, target),
    want: undefined,
  },
  'marked a moment ago by another version': {
    reason: 'the mark stays, because the other version may still write',
    role: 'none',
    mark: mark('RollingOut', 30, 'ffffffffffff'),
    want: undefined,
  },
  'marked long ago by another version': {
    reason: 'the mark is removed, because that version is gone and changed nothing',
    role: 'none',
    mark: mark('RollingOut', 20, 'ffffffffffff'),
    want: 'none',
  },
  'marked long ago, and nothing written': {
    reason: 'the rollout is complete, because a deletion leaves no trace',
    role: 'none',
    mark: mark('RollingOut', 20, target),
    want: 'RolledOut',
  },
};

describe('nextMark', () => {
  it.each(casesOf(marks))('%s', (_, { role, summary = ready, want, ...given }) => {
    expect(nextMark(worldOf(given), { role, summary, now })).toBe(want);
  });
});
