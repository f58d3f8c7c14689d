import { isMap, isSameJson } from '../../canonical.ts';
import { present } from '../../json.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Json, JsonObject, ObjectRef } from '../../kubernetes.ts';
import { type LastApplied, maxChildren } from '../observed/applied.ts';
import { conditionsOf, readyUnknown, suspended, withTimes } from '../observed/conditions.ts';
import { isUntried, type ObservedResource } from '../observed/observed-resource.ts';
import { claimsOwnType, ownStatusIn, type ResourceStatus } from '../observed/recorded-status.ts';
import { roundRobinByNamespace } from '../round-robin.ts';
import type { Finding } from './finding.ts';
import { recordOfRun } from './run-record.ts';

/**
 * Returns the status to write; without a finding, the status of a suspended resource. Returns undefined if the live
 * status can stay: the run made no repairs, nothing `comparable` has changed, and nothing in the live status has to be
 * removed or updated (`strayStatus`).
 */
export function nextStatus(
  kind: Kind,
  resource: ObservedResource,
  { now, found }: { readonly now: string; readonly found: Finding | undefined },
): ResourceStatus | undefined {
  const next = found
    ? whileActive(kind, resource, { ...found, now })
    : whileSuspended(kind, resource, now);
  const isSame = isSameJson(comparable(kind, next), comparable(kind, resource.status));
  return isSame && !found?.repairs?.size && !resource.strayStatus ? undefined : next;
}

function whileActive(
  kind: Kind,
  resource: ObservedResource,
  finding: Finding & { readonly now: string },
): ResourceStatus {
  const { summary, desired, others, acted, drifted, now } = finding;
  const { uid, generation, status } = resource;
  const own = finding.own ?? ownStatusIn(kind, status);
  const ready = drifted?.status === 'True' ? readyThoughDrifted : undefined;
  const conditions = [...conditionsOf(summary, ready), drifted ?? [], own.conditions].flat();
  // Resets Ready's time, from which `finalizeSeconds` counts, when a resource is deleted or edited while being deleted.
  const isFirst = resource.deleting && isUntried(resource);
  const previous = (status.conditions ?? []).filter(({ type }) => !(isFirst && type === 'Ready'));
  // The desired children come first, then other children of each namespace in turn.
  const all = [...desired, ...roundRobinByNamespace(others)];
  const children = all.slice(0, maxChildren).map(bareRef);
  return {
    ...own.fields,
    ...present({ observedGeneration: acted ? generation : status.observedGeneration }),
    children,
    ...present({ lastApplied: recordOfRun({ uid, status }, children, finding) }),
    conditions: withTimes(conditions, previous, { generation, now }),
  };
}

const readyThoughDrifted =
  'all children are ready; the condition Drifted says how they differ from the desired state';

const bareRef = ({ apiVersion, kind, name, namespace }: ObjectRef): ObjectRef => ({
  apiVersion,
  kind,
  name,
  ...present({ namespace }),
});

function whileSuspended(kind: Kind, { generation, status }: ObservedResource, now: string) {
  const { observedGeneration, children, lastApplied, conditions: previous = [] } = status;
  const others = previous.filter(({ type }) => type !== suspended.type);
  const isReported = others.some(({ type }) => type === 'Ready');
  const added = isReported ? [suspended] : [readyUnknown, suspended];
  return {
    ...ownStatusIn(kind, status).fields,
    ...present({ observedGeneration, children, lastApplied }),
    conditions: [...others, ...withTimes(added, previous, { generation, now })],
  };
}

/**
 * Returns a JSON patch that removes fields and conditions that are reserved for us, if others have added
 * them. An apply would not remove them, and a Stalled that another writer added would contradict our Ready.
 */
export function withoutStrays(
  kind: Kind,
  live: unknown,
  desired: ResourceStatus,
): readonly JsonObject[] {
  if (!isMap(live as Json)) return [];
  const status = live as JsonObject;
  const all = ['observedGeneration', 'children', 'lastApplied', ...Object.keys(kind.schema.status)];
  const fields = all.filter((one) => status[one] !== undefined && desired[one] === undefined);
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const wanted = new Set(desired.conditions?.map(({ type }) => type));
  const strays = conditions.flatMap((one: Json, at) =>
    claimsOwnType(kind, one) && !wanted.has(one.type) ? `conditions/${at}` : [],
  );
  // Removes conditions from last to first, so that the other indexes stay valid.
  const paths = [...strays.toReversed(), ...fields];
  return paths.map((path) => ({ op: 'remove', path: `/status/${path}` }));
}

/** Omits repairs and, of `reads`, the digest of the references. Keeps the digest of the kind's own status. */
function comparable(kind: Kind, status: ResourceStatus) {
  const { observedGeneration, children = [], conditions = [], lastApplied } = status;
  const { repairs: _, reads, ...records }: LastApplied = lastApplied ?? { children: [] };
  return {
    observedGeneration,
    children,
    records,
    ownRead: reads?.split(' ')[1],
    // Sorts the conditions, because the server may keep them in another order.
    conditions: conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
    own: ownStatusIn(kind, status, 'foreign').fields,
  };
}
