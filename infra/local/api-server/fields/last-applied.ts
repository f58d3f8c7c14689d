import { goEscaped } from '../go/print.ts';
import { sortedJsonText } from '../json/text.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { typingProblem } from './check-applied.ts';
import { compareObjects } from './compare.ts';
import type { Conflict } from './conflict.ts';
import { difference, type FieldSet } from './field-set.ts';
import type { MergeType } from './merge-type.ts';
import { fieldsOf } from './owned-fields.ts';
import { pathText } from './path-element.ts';
import { pathsOf } from './set-paths.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
const maxAnnotationsBytes = 256 * 1024;

/**
 * Returns the conflicts that remain for `kubectl apply --server-side` on an object that client-side `kubectl
 * apply` wrote. A field with the value that client-side apply gave it is no conflict.
 */
export function conflictsBeyondLastApplied(
  conflicts: readonly Conflict[],
  live: object | undefined,
  type: MergeType,
): readonly Conflict[] {
  const lastApplied = lastAppliedOf(live);
  if (live === undefined || lastApplied === undefined) return conflicts;
  const isUnfit = [live, lastApplied].some(
    (object) => typingProblem(object, type, 'refused') !== undefined,
  );
  if (isUnfit) return conflicts;
  const { added, modified, removed } = compareObjects(lastApplied, live, type);
  const kept = [modified, added, removed].reduce<FieldSet>(difference, fieldsOf(lastApplied, type));
  const allowed = new Set(pathsOf(kept).map(pathText));
  return conflicts.filter(({ field }) => !allowed.has(field));
}

function lastAppliedOf(live: object | undefined): JsonObject | undefined {
  const text = annotationsOf(live)[annotation];
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const applied: unknown = JSON.parse(text);
    const { apiVersion } = live as JsonObject;
    return isObject(applied) && applied.apiVersion === apiVersion ? applied : undefined;
  } catch {
    return undefined;
  }
}

function annotationsOf(object: object | undefined): JsonObject {
  const metadata = (object as JsonObject | undefined)?.metadata;
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return isObject(annotations) ? annotations : {};
}

/** Updates the annotation of client-side `kubectl apply`, if the object has it. */
export function withLastApplied<Result extends { readonly object: JsonObject }>(
  result: Result,
  applied: object,
): Result {
  const { object } = result;
  const { [annotation]: old, ...others } = annotationsOf(object);
  if (typeof old !== 'string' || old === '') return result;
  const text = lastAppliedText(applied as JsonObject);
  const annotations = { ...others, [annotation]: text };
  const kept = bytesOf(annotations) > maxAnnotationsBytes ? others : annotations;
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return { ...result, object: { ...object, metadata: { ...metadata, annotations: kept } } };
}

function lastAppliedText(applied: JsonObject): string {
  const { [annotation]: _, ...annotations } = annotationsOf(applied);
  const { annotations: had, ...metadata } = isObject(applied.metadata) ? applied.metadata : {};
  const rest = had === undefined ? metadata : { ...metadata, annotations };
  return `${goEscaped(sortedJsonText({ ...applied, metadata: rest }))}\n`;
}

function bytesOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
    0,
  );
}
