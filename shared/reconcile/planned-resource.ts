import { ingress } from '../kinds/child-types.ts';
import { fieldManager } from '../kinds/names.ts';
import { groupResource, type ObjectRef } from '../kubernetes.ts';
import type { Verdict } from '../plan/conditions.ts';
import { type Decision, isWriting } from '../plan/decision.ts';
import type { Difference } from '../plan/drift.ts';
import { findingOf } from '../plan/finding.ts';
import { type Forecast, forecast } from '../plan/forecast.ts';
import { occasions } from '../plan/kubernetes-events.ts';
import { newFields } from '../plan/new-fields.ts';
import { isWrite } from '../plan/outcome.ts';
import type { Plan } from '../plan/plan.ts';
import { type Ground, type PlannedRequest, requestsOf } from '../plan/requests.ts';
import { nextStatus } from '../plan/status.ts';
import { keyOf } from '../plan/world.ts';
import type { CloserLook } from './closer-look.ts';
import type { View } from './view.ts';

/** What a run would do for one resource. Plain data: no value of a Secret, nothing executable. */
export interface PlannedResource {
  /** `Website` and `websites.kubecon.my.domain` */
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly state: Plan['state'] | 'failed';
  /** Why there is no plan. */
  readonly message?: string;
  /** In the order in which they are performed; children that stay as they are are left out. */
  readonly actions: readonly Action[];
  /** The Ready condition of the status that will be written; absent where the status stays. */
  readonly status?: Verdict | { readonly state: 'Suspended' };
  readonly events: readonly { readonly reason: string; readonly message: string }[];
  /** What follows the actions: Events, then the status or one last read. */
  readonly commit: readonly PlannedRequest[];
}

export interface Action {
  readonly verb: Exclude<Decision['verb'], 'none'>;
  readonly child: ObjectRef;
  /** What the write is locked to. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly differences: readonly Difference[];
  readonly requests: readonly PlannedRequest[];
}

/** Every request that performing the plan for one resource sends, in order. */
export const requestsFor = ({ actions, commit }: PlannedResource): readonly PlannedRequest[] => [
  ...actions.flatMap(({ requests }) => requests),
  ...commit,
];

/** A plan and its forecast, as plain data. */
export function describeWork(
  { performance, planned, lives }: CloserLook,
  { now, prune }: { readonly now: string; readonly prune: boolean },
): PlannedResource {
  const { view, outcomes } = performance;
  const { kind, resource } = view;
  const groundOf = ({ child }: Decision): Ground => ({
    observed: view.children.get(keyOf(child)),
    live: lives.get(keyOf(child)),
  });
  const idle: Forecast = { decisions: [], outcomes, world: view };
  const given = { resource, world: view, outcomes, prune, groundOf };
  const ahead = planned.state === 'planned' ? forecast(planned, given) : idle;
  const actions = ahead.decisions.flatMap((one) => actionOf(one, groundOf(one), view));
  const done = [...ahead.outcomes.values()];
  const found = findingOf({ ...ahead.world, kind, resource }, planned, done);
  const status = nextStatus(kind, resource, { now, ...(found ?? { suspended: true }) });
  const wrote = done.some(isWrite);
  const told = found === undefined ? [] : occasions(kind, resource, { ...found, outcomes: done });
  const events = wrote || status !== undefined ? told : [];
  return {
    ...identityOf(view),
    state: planned.state,
    ...('message' in planned ? { message: planned.message } : {}),
    actions,
    ...(status === undefined ? {} : { status: found?.verdict ?? { state: 'Suspended' } }),
    events: events.map(({ reason, message }) => ({ reason, message })),
    commit: commitOf(view, { events: events.length, status: status !== undefined, wrote }),
  };
}

export const identityOf = ({ kind, resource }: View) => ({
  kind: kind.kind,
  resource: groupResource(kind),
  namespace: resource.namespace,
  name: resource.name,
  uid: resource.uid,
  generation: resource.generation,
  resourceVersion: resource.resourceVersion,
});

const nameOf = ({ kind, resource: { namespace, name } }: View): string =>
  `${kind.kind} ${namespace}/${name}`;

/** As in `confirm`, the resource is read before a write that deletes, withdraws or exposes. */
function actionOf(decision: Decision, ground: Ground, view: View): readonly Action[] {
  const { verb, child } = decision;
  if (verb === 'none') return [];
  const look: PlannedRequest = { verb: 'get', object: nameOf(view) };
  const { namespace } = decision;
  const held = ('heldBy' in decision ? (decision.heldBy ?? []) : []).map(
    ({ kind, name }): PlannedRequest => ({ verb: 'get', object: `${kind} ${namespace}/${name}` }),
  );
  const requests = [...held, ...requestsOf(decision, ground)];
  const siblings: PlannedRequest = { verb: 'list', object: `Ingresses of ${nameOf(view)}` };
  const beside = decision.type.kind === ingress.kind ? [siblings] : [];
  return [
    {
      verb,
      child,
      ...('uid' in decision && decision.follows === undefined
        ? { uid: decision.uid, resourceVersion: decision.resourceVersion }
        : {}),
      ...('reason' in decision ? { reason: decision.reason, message: decision.message } : {}),
      differences: differencesOf(decision, ground),
      requests: needsLook(decision) ? [look, ...beside, ...requests] : requests,
    },
  ];
}

const needsLook = (decision: Decision): boolean =>
  decision.verb === 'delete' || (decision.type.kind === ingress.kind && isWriting(decision));

function differencesOf(decision: Decision, { observed }: Ground): readonly Difference[] {
  switch (decision.verb) {
    case 'create':
      return newFields(decision);
    case 'update':
      return decision.differences;
    case 'withdraw': {
      const from = observed?.facts.rules;
      return [{ path: 'spec.rules', from, to: decision.rules, writer: undefined }];
    }
    default:
      return [];
  }
}

function commitOf(
  view: View,
  {
    events,
    status,
    wrote,
  }: { readonly events: number; readonly status: boolean; readonly wrote: boolean },
): readonly PlannedRequest[] {
  const object = nameOf(view);
  const event: PlannedRequest = { verb: 'create', object: `Event of ${object}` };
  return [
    ...Array.from({ length: events }, () => event),
    ...(status
      ? [{ verb: 'apply', object, subresource: 'status', manager: fieldManager } as const]
      : wrote
        ? [{ verb: 'get', object } as const]
        : []),
  ];
}
