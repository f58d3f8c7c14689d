import { observeResource } from './observe.ts';
/** Builders of expected plans and decisions. */

import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type JsonObject, type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import {
  type Decision,
  type DecisionBody,
  type Update,
  versionOf,
} from '../../shared/plan/decision/decision.ts';
import type { FightDetector } from '../../shared/plan/drift/contest.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { planWithResults } from './plan-with-results.ts';
import { worldFrom } from './worlds.ts';

const namespace = 'default';
export const ref = (kind: 'Deployment' | 'Service', name: string) => ({
  apiVersion: kind === 'Service' ? 'v1' : 'apps/v1',
  kind,
  name,
});

export const decision = (
  kind: 'Deployment' | 'Service',
  name: string,
  verb: DecisionBody,
): Decision =>
  ({
    type: kind === 'Service' ? service : deployment,
    child: ref(kind, name),
    namespace,
    ...verb,
  }) as Decision;

export const none: DecisionBody = { verb: 'none' };
export const remove = ({ metadata }: KubeObject): DecisionBody => ({
  verb: 'delete',
  lock: versionOf(metadata),
});
export const create = (fields: JsonObject, existed: boolean): DecisionBody => ({
  verb: 'create',
  fields,
  existed,
});
export const wait = (name: string, kind = 'Deployment'): DecisionBody => ({
  verb: 'wait',
  reason: 'ChildDeleting',
  message: `${kind} ${name} is being deleted`,
});
export const exists = (
  name: string,
  owner: string,
  type = 'Deployment',
  remedy = '',
): DecisionBody => ({
  verb: 'block',
  reason: 'ErrResourceExists',
  message: `Resource "${name}" already exists and is not managed by ${owner}; it is a ${type}${remedy}`,
});
/** Completes the message of `exists` for an object that can be adopted. */
export const adoptable = (kind: string, resource: string): string =>
  `, labelled as a child of this ${kind} but not owned by it, as after a restore; to take it over: reconciler adopt ${kind} ${resource} -n default`;
export const update = (
  live: KubeObject,
  fields: JsonObject,
  over: Partial<DecisionBody<Update>>,
): DecisionBody => ({
  verb: 'update',
  lock: versionOf(live.metadata),
  fields,
  differences: [],
  ...over,
});
export const planned = (
  decisions: readonly Decision[],
  deletions: readonly Decision[] = [],
): Plan => ({
  state: 'planned',
  steps: [],
  readsLabels: false,
  desiredKeys: decisions.map(({ child }) => keyOf(child)),
  decisions,
  exposures: [],
  deletions,
});

export interface Case {
  readonly reason: string;
  readonly resource?: KubeObject;
  readonly live?: readonly KubeObject[];
  /** Names that were read and do not exist. */
  readonly absent?: readonly string[];
  readonly contested?: FightDetector;
  readonly want: Plan;
}

export function planOf(kind: Kind, sample: KubeObject, given: Omit<Case, 'reason' | 'want'>): Plan {
  const { resource = sample, live = [], absent = [], contested } = given;
  const about = { kind, resource: observeResource(resource) };
  const world = { ...about, ...worldFrom(about.resource.namespace, ...live) };
  const known = { ...world, absent: new Set(absent), detectFight: contested };
  const { planned: found } = planWithResults(known, live);
  return found.state === 'planned'
    ? { ...found, decisions: found.decisions.map(withoutRecord) }
    : found;
}

/** Drops the record of an unchanged child, because live objects in these tests have no record yet. */
function withoutRecord(decision: Decision): Decision {
  if (decision.verb !== 'none') return decision;
  const { record: _, ...shown } = decision;
  return shown;
}

/** Builds the owner reference of children that a live resource controls. */
export function owner({ apiVersion, kind, metadata: { name, uid } }: KubeObject) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
