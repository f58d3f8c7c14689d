import { IsDateTime } from 'typebox/format';
import { Compile, type Validator } from 'typebox/schema';
import { isMap } from '../../canonical.ts';
import { isOwnCondition, type OwnConditions } from '../../kinds/condition-types.ts';
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
export interface RecordingKind extends OwnConditions, Pick<ResourceType, 'scope'> {
  readonly owns: readonly ResourceType[];
}

/**
 * Drops everything that no run of this version writes, and updates the apiVersions in `children`; `hasStrays` is true if
 * it did either. Keeps the kind's own fields, whatever their type.
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
  const names = readChildren(children, kind);
  const readers = [
    keptIf(Number.isSafeInteger(observedGeneration), 'observedGeneration', observedGeneration),
    names,
    holdsRecords ? readRecords(lastApplied, names) : keptIf(false, 'lastApplied', lastApplied),
    readConditions(conditions, kind),
  ];
  const status: ResourceStatus = Object.assign(others, ...readers.map(({ read }) => read));
  const applied: Record<string, string> = {};
  for (const [at, record] of status.lastApplied?.children.entries() ?? [])
    if (record !== '') applied[keyOf(status.children?.[at] as ObjectRef)] = record;
  return { status, applied, hasStrays: readers.some(({ isStray }) => isStray) };
}

interface Part {
  readonly read: ResourceStatus;
  readonly isStray: boolean;
}

const keptIf = (isLegal: boolean, field: string, found: Json | undefined): Part => ({
  read: isLegal && found !== undefined ? { [field]: found } : {},
  isStray: !isLegal && found !== undefined,
});

interface Names extends Part {
  /** The index of each kept child in the list as found, which has `length` entries. */
  readonly from: readonly number[];
  readonly length: number;
}

function readChildren(found: Json | undefined, kind: RecordingKind): Names {
  if (!Array.isArray(found)) return { ...keptIf(false, 'children', found), from: [], length: 0 };
  const from: number[] = [];
  const seen = new Set<string>();
  const children: ObjectRef[] = [];
  let isRenewed = false;
  for (const [at, ref] of found.entries()) {
    if (children.length === maxChildren) break;
    const type = isRef(ref) ? kind.owns.find((one) => isOfKind(ref, one)) : undefined;
    if (!isRef(ref) || type === undefined || !hasExpectedNamespace(kind, type, ref)) continue;
    const apiVersion = apiVersionOf(type);
    const renewed = { ...ref, apiVersion };
    const key = keyOf(renewed);
    if (!seen.has(key)) {
      children.push(renewed);
      from.push(at);
    }
    if (ref.apiVersion !== apiVersion) isRenewed = true;
    seen.add(key);
  }
  const { length } = found;
  return { read: { children }, isStray: isRenewed || from.length !== length, from, length };
}

let compiled: Validator | undefined;

/** Compiled only when needed, because that takes a few milliseconds. */
function isLastApplied(value: unknown): boolean {
  compiled ??= Compile(lastAppliedSchema);
  return compiled.Check(value);
}

/** Drops records that do not fit the list of children as found, because they may be about other objects. */
function readRecords(found: Json | undefined, { from, length }: Names): Part {
  if (!isLastApplied(found)) return keptIf(false, 'lastApplied', found);
  const { repairs = [], ...others } = found as LastApplied & JsonObject;
  const isAligned =
    others.children.length === length && repairs.every(({ child }) => child < length);
  if (!isAligned || from.length === length) return keptIf(isAligned, 'lastApplied', found);
  const children = from.map((at) => others.children[at] ?? '');
  return { read: { lastApplied: { ...others, children } }, isStray: true };
}

const isRecordedTime = (value: Json | undefined): boolean =>
  typeof value === 'string' && IsDateTime(value) && !Number.isNaN(Date.parse(value));

/** Ignores the version: the status may have an older one. */
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

function readConditions(found: Json | undefined, kind: OwnConditions): Part {
  if (!Array.isArray(found)) return keptIf(false, 'conditions', found);
  const claimed = found.filter((one) => claimsOwnType(kind, one));
  const conditions: Condition[] = [];
  for (const one of claimed)
    if (isCondition(one) && !conditions.some(({ type }) => type === one.type)) conditions.push(one);
  return { read: { conditions }, isStray: conditions.length !== claimed.length };
}

/** A condition of another type may have any shape. */
export const claimsOwnType = (
  kind: OwnConditions,
  value: Json,
): value is JsonObject & { readonly type: string } =>
  isMap(value) && typeof value.type === 'string' && isOwnCondition(kind, { type: value.type });

const isCondition = (value: JsonObject): value is JsonObject & Condition =>
  ['True', 'False', 'Unknown'].includes(String(value.status)) &&
  typeof value.reason === 'string' &&
  typeof value.message === 'string' &&
  (value.observedGeneration === undefined || Number.isSafeInteger(value.observedGeneration)) &&
  isRecordedTime(value.lastTransitionTime);
