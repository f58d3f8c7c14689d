import { IsDateTime } from 'typebox/format';
import { isMap } from '../../canonical.ts';
import { isOwnCondition, type OwnConditions } from '../../kinds/condition-types.ts';
import { legalHostLabel } from '../../kinds/names.ts';
import { maxDigestsLength } from '../../kinds/references/short-digests.ts';
import {
  apiVersionOf,
  isClusterScoped,
  isOfType,
  type Json,
  type JsonObject,
  type ObjectRef,
  pathSegmentProblem,
  qualifiedName,
  type ResourceType,
} from '../../kubernetes.ts';
import {
  type AppliedRecords,
  type LastApplied,
  maxChildren,
  maxCompleted,
  maxDigest,
  maxFieldPath,
  maxRepairedFields,
  maxRepairs,
  readApplied,
} from './applied.ts';
import type { Condition } from './conditions.ts';

export interface ResourceStatus extends JsonObject {
  readonly observedGeneration?: number;
  readonly children?: readonly ObjectRef[];
  readonly conditions?: readonly Condition[];
  readonly lastApplied?: LastApplied;
}

const maxName = 253;

/** The fields of a kind that decide what its statuses contain. */
export interface RecordingKind extends OwnConditions, Pick<ResourceType, 'scope'> {
  readonly owns: readonly ResourceType[];
}

/** A status as read. `hasStrays`: parts of it were dropped, so the status has to be written. */
interface RecordedStatus {
  readonly status: ResourceStatus;
  readonly applied: AppliedRecords;
  readonly hasStrays: boolean;
}

/**
 * Reads a live status. In the fields that all kinds share, keeps only what a run may have written. Keeps
 * other fields unchanged, whatever their type.
 *
 * Guarantees: never throws. Each entry of `children` has a type in `owns` and a well-formed name, and appears
 * once, in the version of its type. `lastApplied` is dropped unless we own it. `conditions` are well-formed,
 * of our own types, and appear once each.
 */
export function readStatus(
  raw: unknown,
  kind: RecordingKind,
  { holdsRecords }: { readonly holdsRecords: boolean },
): RecordedStatus {
  if (raw === undefined) return { status: {}, applied: {}, hasStrays: false };
  if (!isMap(raw as Json)) return { status: {}, applied: {}, hasStrays: true };
  const { observedGeneration, children, conditions, lastApplied, ...others } = raw as JsonObject;
  const names = readChildren(children, kind);
  const readers = [
    keptIf(Number.isSafeInteger(observedGeneration), 'observedGeneration', observedGeneration),
    names,
    keptIf(holdsRecords && isLegalRecord(lastApplied, names), 'lastApplied', lastApplied),
    readConditions(conditions, kind),
  ];
  const status: ResourceStatus = Object.assign(others, ...readers.map(({ read }) => read));
  return {
    status,
    applied: readApplied(status.lastApplied?.children ?? [], status.children ?? []),
    hasStrays: readers.some(({ isStray }) => isStray),
  };
}

interface Part {
  readonly read: ResourceStatus;
  readonly isStray: boolean;
}

const keptIf = (isLegal: boolean, field: string, found: Json | undefined): Part => ({
  read: isLegal && found !== undefined ? { [field]: found } : {},
  isStray: !isLegal && found !== undefined,
});

function readChildren(found: Json | undefined, kind: RecordingKind): Part {
  if (!Array.isArray(found)) return keptIf(false, 'children', found);
  const seen = new Set<string>();
  const children: ObjectRef[] = [];
  let isRenewed = false;
  for (const ref of found) {
    if (children.length === maxChildren) break;
    const type = isRef(ref) ? kind.owns.find((one) => isOfKind(ref, one)) : undefined;
    if (!isRef(ref) || type === undefined || !hasExpectedNamespace(kind, type, ref)) continue;
    const apiVersion = apiVersionOf(type);
    const key = `${apiVersion}/${ref.kind}/${qualifiedName(ref.namespace, ref.name)}`;
    if (!seen.has(key)) children.push({ ...ref, apiVersion });
    if (ref.apiVersion !== apiVersion) isRenewed = true;
    seen.add(key);
  }
  return { read: { children }, isStray: isRenewed || children.length !== found.length };
}

/**
 * Checks `lastAppliedSchema` by hand, because compiling it would take a tenth of an edit's CPU time. Refuses the
 * records if somebody changed `children`, because they would be about other objects.
 */
function isLegalRecord(found: Json | undefined, names: Part): boolean {
  if (!isMap(found) || names.isStray) return false;
  const { children: records, reads, selected, comparedAt, ...lists } = found;
  const { completed = [], repairs = [], contested = [], ...more } = lists;
  const { children = [] } = names.read;
  return (
    Object.keys(more).length === 0 &&
    isListOf(completed, maxCompleted, (one) => isText(one, maxDigest)) &&
    isListOf(repairs, maxRepairs, (one) => isRepair(one, children.length)) &&
    isListOf(contested, maxChildren, (one) => isContested(one, children.length)) &&
    isListOf(records, children.length, (one) => isText(one, maxDigest)) &&
    records.length === children.length &&
    (reads === undefined || isText(reads, maxDigest)) &&
    (selected === undefined || isText(selected, maxDigestsLength)) &&
    (comparedAt === undefined || isTime(comparedAt))
  );
}

const isListOf = (
  value: Json | undefined,
  longest: number,
  isLegal: (one: Json) => boolean,
): value is readonly Json[] =>
  Array.isArray(value) && value.length <= longest && value.every(isLegal);

const isRepair = (value: Json, children: number): boolean =>
  isMap(value) &&
  hasOnly(value, ['child', 'at', 'written', 'fields']) &&
  isIndex(value.child, children) &&
  isTime(value.at) &&
  (value.written === undefined || isTime(value.written)) &&
  (value.fields === undefined ||
    isListOf(value.fields, maxRepairedFields, (one) => isText(one, maxFieldPath)));

const isContested = (value: Json, children: number): boolean =>
  isMap(value) &&
  hasOnly(value, ['child', 'since', 'by']) &&
  isIndex(value.child, children) &&
  isTime(value.since) &&
  (value.by === undefined || isText(value.by, maxFieldPath));

const hasOnly = (value: JsonObject, fields: readonly string[]): boolean =>
  Object.keys(value).every((field) => fields.includes(field));

const isIndex = (value: Json | undefined, count: number): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < count;

const isText = (value: Json, longest: number): boolean =>
  typeof value === 'string' && value.length <= longest;

const isTime = (value: Json | undefined): boolean =>
  typeof value === 'string' && IsDateTime(value) && !Number.isNaN(Date.parse(value));

/** Ignores the version, because an object may have been recorded under an older one. */
const isOfKind = (ref: ObjectRef, type: ResourceType): boolean =>
  isOfType(ref, type) || (ref.kind === type.kind && groupOf(ref) === (type.group || undefined));

const groupOf = ({ apiVersion }: ObjectRef): string | undefined =>
  /^(?:(.*)\/)?[^/]+$/.exec(apiVersion)?.[1];

/** Reports whether the reference has a namespace if, and only if, children of this kind have one. */
const hasExpectedNamespace = (
  kind: RecordingKind,
  type: ResourceType,
  { namespace }: ObjectRef,
): boolean => (isClusterScoped(kind) && !isClusterScoped(type)) === (namespace !== undefined);

const refFields = ['apiVersion', 'kind', 'name', 'namespace'];

function isRef(value: Json): value is JsonObject & ObjectRef {
  if (!isMap(value) || !hasOnly(value, refFields)) return false;
  const { apiVersion, kind, name, namespace } = value;
  if (namespace !== undefined && !(typeof namespace === 'string' && legalHostLabel.test(namespace)))
    return false;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string')
    return false;
  return name.length <= maxName && pathSegmentProblem(name) === undefined;
}

function readConditions(found: Json | undefined, kind: OwnConditions): Part {
  if (!Array.isArray(found)) return keptIf(false, 'conditions', found);
  const claimed = found.filter((one) => claimsOwnType(kind, one));
  const conditions: Condition[] = [];
  for (const one of claimed)
    if (isCondition(one) && !conditions.some(({ type }) => type === one.type)) conditions.push(one);
  return { read: { conditions }, isStray: conditions.length !== claimed.length };
}

/** Reports whether the type of this condition is ours. Any other condition may have any shape. */
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
  isTime(value.lastTransitionTime);
