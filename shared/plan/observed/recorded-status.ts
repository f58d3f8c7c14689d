import { isMap } from '../../canonical.ts';
import { isOwnCondition, type OwnConditions } from '../../kinds/condition-types.ts';
import { legalHostLabel } from '../../kinds/names.ts';
import { maxMarkText } from '../../kinds/references/marks.ts';
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
import { type AppliedRecords, readApplied } from './applied.ts';
import type { Condition } from './conditions.ts';

export interface ResourceStatus extends JsonObject {
  readonly observedGeneration?: number;
  readonly children?: readonly ObjectRef[];
  readonly conditions?: readonly Condition[];
  readonly lastApplied?: LastApplied;
}

/** Record of a run's applies, by which the next run can tell drift from the server's own changes. */
export interface LastApplied extends JsonObject {
  /** One text for each of `children`, in the same order: see `Applied`. */
  readonly children: readonly string[];
  /** Digest of the referenced objects that were acted on. */
  readonly reads?: string;
  /** Marks of the objects that selectors have found: see `marksOf`. */
  readonly selected?: string;
  /** When all children were last compared with what an apply would make of them, RFC 3339. */
  readonly comparedAt?: string;
  /** Digests of children that are complete and no longer wanted, the latest first: see `completionOf`. */
  readonly completed?: readonly string[];
  /** The latest repairs, by which the next run recognizes a fight. */
  readonly repairs?: readonly Repair[];
  /** The children that were left to the next resync, because other writers undo their repairs. */
  readonly contested?: readonly Contested[];
}

/** A repair of a child. */
export interface Repair extends JsonObject {
  /** Index of the child in `status.children`. */
  readonly child: number;
  /** RFC 3339, by the clock of the function. */
  readonly at: string;
  /** The same by the clock of the API server, if managedFields show it. */
  readonly written?: string;
  /** Paths of the repaired fields, or of fields that contain them; undefined if the child was created again. */
  readonly fields?: readonly string[];
}

/** A child that was left to the next resync. */
export interface Contested extends JsonObject {
  /** Index of the child in `status.children`. */
  readonly child: number;
  /** RFC 3339, by the clock of the function. */
  readonly since: string;
  /** Who deletes it. */
  readonly by?: string;
}

/** Limit of the recorded completions. */
export const maxCompleted = 32;
/** Limits of the fields of one repair, and of all repairs together; beyond it, only the outermost fields are named. */
export const maxRepairedFields = 16;
export const maxFieldsOfRepairs = 64 * maxRepairedFields;
export const maxFieldPath = 256;

/** The most children that a resource may want. Their names and records take about 150 kB of the status. */
export const maxWanted = 1000;

/** The limit of `status.children`: the wanted ones, and as many from earlier specs. */
export const maxChildren = 2 * maxWanted;

/** Limit of the recorded repairs: twice for each wanted child, or a fight over many children would not end. */
export const maxRepairs = 2 * maxWanted;

/** The longest legal name of an object. */
const maxName = 253;

/** The parts of a kind that decide what its status may record. */
export interface RecordingKind extends OwnConditions, Pick<ResourceType, 'scope'> {
  readonly owns: readonly ResourceType[];
}

/** A live status as read; `hasStrays` if parts of it were dropped, so that it has to be written. */
interface RecordedStatus {
  readonly status: ResourceStatus;
  readonly applied: AppliedRecords;
  readonly hasStrays: boolean;
}

/**
 * Reads a live status. In the fields that all kinds share, it keeps only what a run may have written;
 * other fields are kept as they are, of any type.
 *
 * Guarantees: never throws. Each entry of `children` has a type in `owns` and a name that can be read, and appears
 * once, in the version of its type. `lastApplied` is dropped unless we hold it. `conditions` are well-formed, of our
 * own types, and appear once each.
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
    readGeneration(observedGeneration),
    names,
    holdsRecords || lastApplied === undefined ? readLastApplied(lastApplied, names) : stray,
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

const absent: Part = { read: {}, isStray: false };
const stray: Part = { read: {}, isStray: true };

function readGeneration(found: Json | undefined): Part {
  if (found === undefined) return absent;
  if (typeof found !== 'number' || !Number.isSafeInteger(found)) return stray;
  return { read: { observedGeneration: found }, isStray: false };
}

function readChildren(found: Json | undefined, kind: RecordingKind): Part {
  if (found === undefined) return absent;
  if (!Array.isArray(found)) return stray;
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

/** Drops the records if the list of children was changed: they could be about other children. */
function readLastApplied(found: Json | undefined, names: Part): Part {
  if (found === undefined) return absent;
  if (!isMap(found) || names.isStray) return stray;
  const { children: texts, reads, selected, comparedAt, ...lists } = found;
  const { completed = [], repairs = [], contested = [], ...more } = lists;
  const { children = [] } = names.read;
  const isLegal =
    Object.keys(more).length === 0 &&
    isListOf(completed, maxCompleted, (one) => isText(one, maxDigest)) &&
    isListOf(repairs, maxRepairs, (one) => isRepair(one, children.length)) &&
    isListOf(contested, maxChildren, (one) => isContested(one, children.length)) &&
    Array.isArray(texts) &&
    texts.length === children.length &&
    texts.every((text) => typeof text === 'string' && text.length <= maxDigest) &&
    isText(reads ?? '', maxDigest) &&
    isText(selected ?? '', maxMarkText) &&
    (comparedAt === undefined || isTime(comparedAt));
  return isLegal ? { read: { lastApplied: found as LastApplied }, isStray: false } : stray;
}

const maxDigest = 64;

const isListOf = (value: Json, longest: number, isLegal: (one: Json) => boolean): boolean =>
  Array.isArray(value) && value.length <= longest && value.every(isLegal);

const isRepair = (value: Json, children: number): boolean =>
  isMap(value) &&
  isIndex(value.child, children) &&
  isTime(value.at) &&
  (value.written === undefined || isTime(value.written)) &&
  (value.fields === undefined ||
    isListOf(value.fields, maxRepairedFields, (one) => isText(one, maxFieldPath)));

const isContested = (value: Json, children: number): boolean =>
  isMap(value) &&
  isIndex(value.child, children) &&
  isTime(value.since) &&
  (value.by === undefined || isText(value.by, maxFieldPath));

const isIndex = (value: Json | undefined, count: number): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < count;

const isText = (value: Json, longest: number): boolean =>
  typeof value === 'string' && value.length <= longest;

const isTime = (value: Json | undefined): boolean => !Number.isNaN(Date.parse(String(value)));

/** Ignores the version: an object may have been recorded under an older one. */
const isOfKind = (ref: ObjectRef, type: ResourceType): boolean =>
  isOfType(ref, type) || (ref.kind === type.kind && groupOf(ref) === (type.group || undefined));

const groupOf = ({ apiVersion }: ObjectRef): string | undefined =>
  /^(?:(.*)\/)?[^/]+$/.exec(apiVersion)?.[1];

/** Reports whether a reference has a namespace exactly if children of the kind have one. */
const hasExpectedNamespace = (
  kind: RecordingKind,
  type: ResourceType,
  { namespace }: ObjectRef,
): boolean => (isClusterScoped(kind) && !isClusterScoped(type)) === (namespace !== undefined);

const refFields = ['apiVersion', 'kind', 'name', 'namespace'];

function isRef(value: Json): value is JsonObject & ObjectRef {
  if (!isMap(value) || !Object.keys(value).every((field) => refFields.includes(field)))
    return false;
  const { apiVersion, kind, name, namespace } = value;
  if (namespace !== undefined && !(typeof namespace === 'string' && legalHostLabel.test(namespace)))
    return false;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string')
    return false;
  return name.length <= maxName && pathSegmentProblem(name) === undefined;
}

function readConditions(found: Json | undefined, kind: OwnConditions): Part {
  if (found === undefined) return absent;
  if (!Array.isArray(found)) return stray;
  const claimed = found.filter((one) => claimsOwnType(kind, one));
  const conditions: Condition[] = [];
  for (const one of claimed)
    if (isCondition(one) && !conditions.some(({ type }) => type === one.type)) conditions.push(one);
  return { read: { conditions }, isStray: conditions.length !== claimed.length };
}

/** Reports whether a value has the type of one of our conditions. Foreign conditions may have any shape. */
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
  typeof value.lastTransitionTime === 'string' &&
  isTime(value.lastTransitionTime);
