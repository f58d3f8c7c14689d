import { IsDateTime } from 'typebox/format';
import { Compile } from 'typebox/schema';
import { isDeeperThan, isMap, isSameJson } from '../../canonical.ts';
import { present } from '../../json.ts';
import { isOwnCondition } from '../../kinds/condition-types.ts';
import type { Kind } from '../../kinds/kind.ts';
import { legalHostLabel } from '../../kinds/names.ts';
import {
  apiVersionOf,
  isClusterScoped,
  type Json,
  type JsonObject,
  keyOf,
  type ObjectRef,
  pathSegmentProblem,
  type ResourceType,
} from '../../kubernetes.ts';
import {
  type AppliedRecords,
  type LastApplied,
  lastAppliedSchema,
  maxChildren,
} from './applied.ts';
import type { Condition } from './conditions.ts';

export interface ResourceStatus extends JsonObject {
  readonly observedGeneration?: number;
  readonly children?: readonly ObjectRef[];
  readonly conditions?: readonly Condition[];
  readonly lastApplied?: LastApplied;
}

/** Parts of a kind that decide what a status contains. */
export interface RecordingKind extends Pick<Kind, 'conditions' | 'scope'> {
  readonly owns: readonly ResourceType[];
}

/**
 * Drops everything that no run of this version writes, and updates the apiVersions in `children`. `hasStrays` is true
 * if anything was dropped or updated. Keeps the kind's own fields, whatever their type.
 *
 * Guarantees: never throws. `children` and `conditions` are well-formed and of our own types, and each appears once.
 * `lastApplied` is dropped unless we own it (`holdsRecords`).
 */
export function readStatus(
  raw: unknown,
  kind: RecordingKind,
  { holdsRecords }: { readonly holdsRecords: boolean },
): {
  readonly status: ResourceStatus;
  readonly applied: AppliedRecords;
  readonly hasStrays: boolean;
} {
  if (raw === undefined) return { status: {}, applied: {}, hasStrays: false };
  if (!isMap(raw as Json)) return { status: {}, applied: {}, hasStrays: true };
  const { observedGeneration, children, conditions, lastApplied, ...others } = raw as JsonObject;
  const listed = Array.isArray(children) ? readChildren(children, kind) : undefined;
  const claimed = Array.isArray(conditions)
    ? conditions.filter((one: Json) => claimsOwnType(kind, one))
    : conditions;
  const own = {
    observedGeneration: Number.isSafeInteger(observedGeneration) ? observedGeneration : undefined,
    children: listed?.filter((one) => one !== undefined),
    lastApplied: holdsRecords ? readRecords(lastApplied, listed ?? []) : undefined,
    conditions: Array.isArray(claimed) ? firstOfEachType(claimed.filter(isCondition)) : undefined,
  };
  const hasStrays = !isSameJson(own, {
    observedGeneration,
    children,
    lastApplied,
    conditions: claimed,
  });
  const status = { ...others, ...present(own) } as ResourceStatus;
  const applied: Record<string, string> = {};
  for (const [at, record] of status.lastApplied?.children.entries() ?? [])
    if (record !== '') applied[keyOf(status.children?.[at] as ObjectRef)] = record;
  return { status, applied, hasStrays };
}

/** Returns undefined in place of each entry to drop. */
function readChildren(
  found: readonly Json[],
  kind: RecordingKind,
): readonly (ObjectRef | undefined)[] {
  const seen = new Set<string>();
  return found.map((ref) => {
    if (!isRef(ref) || seen.size === maxChildren) return undefined;
    const type = kind.owns.find((one) => isOfKind(ref, one));
    if (type === undefined || !hasExpectedNamespace(kind, type, ref)) return undefined;
    const child = { ...ref, apiVersion: apiVersionOf(type) };
    return seen.size < seen.add(keyOf(child)).size ? child : undefined;
  });
}

const lastAppliedForm = Compile(lastAppliedSchema);

/** Drops records that do not match the children listed in the live status: they may be about other objects. */
function readRecords(
  found: unknown,
  listed: readonly (ObjectRef | undefined)[],
): LastApplied | undefined {
  if (!lastAppliedForm.Check(found)) return undefined;
  const { repairs = [], ...others } = found;
  const { length } = listed;
  if (others.children.length !== length || repairs.some(({ child }) => child >= length))
    return undefined;
  if (!listed.includes(undefined)) return found;
  return { ...others, children: others.children.filter((_, at) => listed[at] !== undefined) };
}

const isRecordedTime = (value: Json | undefined): boolean =>
  typeof value === 'string' && IsDateTime(value) && !Number.isNaN(Date.parse(value));

/** Ignores the version: the status may have an older version. */
const isOfKind = (ref: ObjectRef, type: ResourceType): boolean =>
  ref.kind === type.kind &&
  /^(?:(.*)\/)?[^/]+$/.exec(ref.apiVersion)?.[1] === (type.group || undefined);

/** Expects a namespace only for a namespaced child of a cluster-scoped owner. */
const hasExpectedNamespace = (
  kind: RecordingKind,
  type: ResourceType,
  { namespace }: ObjectRef,
): boolean => (isClusterScoped(kind) && !isClusterScoped(type)) === (namespace !== undefined);

const maxName = 253;

function isRef(value: Json): value is JsonObject & ObjectRef {
  if (!isMap(value)) return false;
  const { apiVersion, kind, name, namespace = 'default', ...others } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string')
    return false;
  if (typeof namespace !== 'string' || !legalHostLabel.test(namespace)) return false;
  const hasOthers = Object.keys(others).length > 0;
  return !hasOthers && name.length <= maxName && pathSegmentProblem(name) === undefined;
}

const firstOfEachType = (conditions: readonly Condition[]): readonly Condition[] =>
  conditions.filter(({ type }, at) => conditions.findIndex((one) => one.type === type) === at);

/** Reports whether a condition has one of our types. A condition of another type may have any shape. */
export const claimsOwnType = (
  kind: Pick<Kind, 'conditions'>,
  value: Json,
): value is JsonObject & { readonly type: string } =>
  isMap(value) && typeof value.type === 'string' && isOwnCondition(kind, { type: value.type });

const isCondition = (value: JsonObject): value is JsonObject & Condition =>
  ['True', 'False', 'Unknown'].includes(String(value.status)) &&
  typeof value.reason === 'string' &&
  typeof value.message === 'string' &&
  (value.observedGeneration === undefined || Number.isSafeInteger(value.observedGeneration)) &&
  isRecordedTime(value.lastTransitionTime);

/** Returns the kind's own fields and conditions. A value deeper than `maxLevels` is not ours: `foreign` replaces it. */
export const ownStatusIn = (kind: Kind, status: ResourceStatus, foreign?: Json) => ({
  fields: Object.fromEntries(
    Object.keys(kind.schema.status).flatMap((field) => {
      const value = isDeeperThan(maxLevels, status[field]) ? foreign : (status[field] as Json);
      return value === undefined ? [] : [[field, value]];
    }),
  ),
  conditions: (status.conditions ?? []).filter(({ type }) => kind.conditions.includes(type)),
});

/** Maximum nesting of a kind's status field. */
const maxLevels = 32;
