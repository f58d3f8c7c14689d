import { canonicalJson, isDeeperThan, isMap } from '../../canonical.ts';
import { present } from '../../json.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Json, JsonObject, ObjectRef } from '../../kubernetes.ts';
import { maxChildren } from '../observed/applied.ts';
import {
  type Condition,
  conditionsOf,
  readyUnknown,
  suspended,
  withTimes,
} from '../observed/conditions.ts';
import type { ObservedResource } from '../observed/observed-resource.ts';
import { claimsOwnType, type ResourceStatus } from '../observed/recorded-status.ts';
import { namespacesInTurn } from '../turns.ts';
import type { Finding } from './finding.ts';
import { recordOfRun } from './run-record.ts';

/**
 * Returns the status to write; undefined if only times and outdated repairs would change. Never undefined after a
 * repair.
 */
export function nextStatus(
  kind: Kind,
  resource: ObservedResource,
  at: { readonly now: string } & (Finding | { readonly suspended: true }),
): ResourceStatus | undefined {
  const next =
    'suspended' in at ? whileSuspended(kind, resource, at.now) : found(kind, resource, at);
  const isSame =
    comparable(kind, next) === comparable(kind, resource.status) &&
    ('suspended' in at || (at.repairs ?? new Map()).size === 0);
  return isSame && !resource.strayStatus ? undefined : next;
}

function found(
  kind: Kind,
  resource: ObservedResource,
  finding: Finding & { readonly now: string },
): ResourceStatus {
  const { summary, desired, others, acted, now } = finding;
  const { uid, generation, status } = resource;
  const observed = acted ? generation : status.observedGeneration;
  const own = finding.own ?? {
    fields: declared(kind, status),
    conditions: (status.conditions ?? []).filter(({ type }) => kind.conditions.includes(type)),
  };
  const { drifted } = finding;
  const ready = drifted?.status === 'True' ? readyThoughDrifted : undefined;
  const ofEngine = [...conditionsOf(summary, ready), ...(drifted === undefined ? [] : [drifted])];
  const conditions = [...ofEngine, ...own.conditions];
  const children = recorded(desired, others);
  return {
    ...own.fields,
    ...present({ observedGeneration: observed }),
    children,
    ...present({ lastApplied: recordOfRun({ uid, status }, children, finding) }),
    conditions: withTimes(conditions, status.conditions ?? [], { generation, now }),
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

/** Returns the desired children, and as many others as there is room for, namespaces in turn. */
function recorded(
  desired: readonly ObjectRef[],
  others: readonly ObjectRef[],
): readonly ObjectRef[] {
  const isTooLong = desired.length + others.length > maxChildren;
  const rest = isTooLong ? namespacesInTurn(others) : others;
  return [...desired, ...rest].slice(0, maxChildren).map(bareRef);
}

function whileSuspended(
  kind: Kind,
  { generation, status }: ObservedResource,
  now: string,
): ResourceStatus {
  const previous = status.conditions ?? [];
  const others = previous.filter(({ type }) => type !== suspended.type);
  const said = others.some(({ type }) => type === 'Ready')
    ? [suspended]
    : [readyUnknown, suspended];
  const { observedGeneration, children, lastApplied } = status;
  return {
    ...declared(kind, status),
    ...present({ observedGeneration }),
    ...present({ children, lastApplied }),
    conditions: [...others, ...withTimes(said, previous, { generation, now })],
  };
}

/** Removes what others put into our fields: an apply would leave it, and a stray Stalled would contradict Ready. */
export function withoutStrays(
  kind: Kind,
  live: unknown,
  desired: ResourceStatus,
): readonly JsonObject[] {
  if (!isMap(live as Json)) return [];
  const status = live as JsonObject;
  const fields = [...commonFields, ...declaredFields(kind)].filter(
    (field) => status[field] !== undefined && desired[field] === undefined,
  );
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const strays = conditions.flatMap((one: Json, at) => {
    if (!claimsOwnType(kind, one)) return [];
    const isDesired = desired.conditions?.some(({ type }) => type === one.type) ?? false;
    return isDesired ? [] : [`conditions/${at}`];
  });
  // Removes the last index first, so that the others stay valid.
  return [...strays.toReversed(), ...fields].map((path) => ({
    op: 'remove',
    path: `/status/${path}`,
  }));
}

const commonFields = ['observedGeneration', 'children', 'lastApplied'] as const;

const declaredFields = ({ schema }: Kind): readonly string[] => Object.keys(schema.status);

/** The kind's own fields as they were found. A field that is nested too deeply to be ours becomes `foreign`. */
const declared = (kind: Kind, status: ResourceStatus, foreign?: Json): JsonObject =>
  Object.fromEntries(
    declaredFields(kind).flatMap((field) => {
      const value = isDeeperThan(maxLevels, status[field]) ? foreign : (status[field] as Json);
      return value === undefined ? [] : [[field, value]];
    }),
  );

/** Limit of nesting; no kind's status field has more levels. */
const maxLevels = 32;

/** Returns the parts by which statuses are compared: not times, repairs or the digest of the references. */
function comparable(kind: Kind, status: ResourceStatus): string {
  const { observedGeneration, children = [], conditions = [], lastApplied } = status;
  const { contested = [], completed = [], comparedAt, selected } = lastApplied ?? {};
  return canonicalJson({
    observedGeneration,
    children,
    applied: lastApplied?.children ?? [],
    comparedAt,
    selected,
    completed,
    contested: contested.map(({ child, by }) => ({ child, by })),
    // Sorted by type, because the server keeps its own order in a list merged by type.
    conditions: conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1)).map(withoutTime),
    own: declared(kind, status, 'foreign'),
  });
}

function withoutTime(condition: Condition): Partial<Condition> {
  const { type, status, reason, message, observedGeneration } = condition;
  return { type, status, reason, message, observedGeneration };
}
