import { isMap, isZero } from '../../canonical.ts';
import { valueAt } from '../../json.ts';
import { isSameReadiness, type Readiness } from '../../kinds/readiness.ts';
import type { Json, JsonObject, KubeObject } from '../../kubernetes.ts';
import { covers, type FieldContext } from '../drift/covers.ts';
import { type Difference, isOwnershipOnly } from '../drift/drift.ts';
import { manifestOf } from '../observed/apply-manifest.ts';
import { type ObservedChild, observeChild, onceEdited } from '../observed/observed.ts';
import { join } from '../observed/owned-fields.ts';
import type { World } from '../observed/world.ts';
import type { Decision, Update } from './decision.ts';
import type { Basis } from './steps.ts';

interface Reader extends Pick<World, 'identity'> {
  readonly resource: Pick<World['resource'], 'namespace'>;
}

/** Predicts the child in the server's response to the write, before its controller reacts. */
export function childAfter(
  decision: Decision,
  { observed, live }: Basis,
  reader: Reader,
): ObservedChild | undefined {
  switch (decision.verb) {
    case 'create':
      return newChild(decision, reader);
    case 'update': {
      if (observed === undefined) return observed;
      // Adoption sets the controller.
      const { controller } = newChild(decision, reader);
      return { ...observed, controller, readiness: readinessAfter(decision, observed, live) };
    }
    case 'delete':
      return undefined;
    default:
      return observed;
  }
}

function readinessAfter(
  update: Update,
  observed: ObservedChild,
  live: KubeObject | undefined,
): Readiness {
  if (!changesContent(update, live)) return observed.readiness;
  if (live === undefined) return observed.readinessOnceEdited ?? observed.readiness;
  const edited = onceEdited({ ...live, ...withoutMetadata(edit(live, update)) });
  return update.type.readiness?.(edited) ?? observed.readiness;
}

/**
 * Reports whether the readiness after the decision depends on the whole object: the child is changed, its
 * readiness does not wait for its controller, and the new fields may count.
 */
export function isReadinessOpen(
  decision: Decision,
  observed: ObservedChild | undefined,
  reader: Reader,
): boolean {
  if (decision.verb !== 'update' || observed === undefined) return false;
  if (observed.readinessOnceEdited !== undefined) return false;
  const { readiness } = newChild(decision, reader);
  return !isSameReadiness(readiness, observed.readiness) && changedContent(decision).length > 0;
}

const newChild = (
  decision: Update | Extract<Decision, { verb: 'create' }>,
  reader: Reader,
): ObservedChild => {
  const { metadata, ...rest } = manifestOf(decision, decision.fields, 'absent');
  const made = { uid: '', resourceVersion: '', creationTimestamp: '', generation: 1 };
  return observeChild(
    decision.type,
    { ...rest, metadata: { ...metadata, ...made } },
    {
      identity: reader.identity,
      from: reader.resource.namespace,
    },
  );
};

/** Reports whether anything but metadata changes, so that the server increments the generation. */
function changesContent(update: Update, live: KubeObject | undefined): boolean {
  const { type, fields } = update;
  const changed = changedContent(update);
  if (live === undefined) return changed.length > 0;
  const content = { path: '', quantities: type.quantities ?? [] };
  return changed.some(isDropped) || !contains(live as Json, withoutMetadata(fields), content);
}

const changedContent = ({ differences, handOver }: Update): readonly Difference[] =>
  differences.filter(
    (one) =>
      !one.path.startsWith('metadata.') &&
      !isOwnershipOnly(one) &&
      !(isDropped(one) && valueAt(handOver, ...one.path.split('.')) !== undefined),
  );

const isDropped = ({ to }: Difference): boolean => to === undefined;

const withoutMetadata = ({ metadata: _, ...content }: JsonObject): JsonObject => content;

/** Applies the fields of an update to the object, replacing its lists as a whole. */
function edit(live: KubeObject, update: Update): JsonObject {
  const dropped = changedContent(update).filter(isDropped);
  const kept = dropped.reduce<Json | undefined>(
    (object, { path }) => without(object, path.split('.')),
    live as Json,
  );
  return merged(kept, update.fields) as JsonObject;
}

function without(
  value: Json | undefined,
  [first = '', ...rest]: readonly string[],
): Json | undefined {
  if (!isMap(value) || value[first] === undefined) return value;
  const { [first]: inner, ...others } = value;
  return rest.length === 0 ? others : { ...others, [first]: without(inner, rest) };
}

const merged = (live: Json | undefined, wanted: Json | undefined): Json | undefined =>
  isMap(live) && isMap(wanted)
    ? {
        ...live,
        ...Object.fromEntries(
          Object.entries(wanted).map(([field, value]) => [field, merged(live[field], value)]),
        ),
      }
    : wanted;

/** Like `covers`, but lists may have further items, in any order. */
function contains(live: Json | undefined, wanted: Json | undefined, field: FieldContext): boolean {
  const { path, quantities } = field;
  if (Array.isArray(live) && Array.isArray(wanted))
    return wanted.every((item) =>
      live.some((other) => contains(other, item, { path: `${path}[]`, quantities })),
    );
  if (isMap(live) && isMap(wanted))
    return Object.entries(wanted).every(([field, value]) =>
      contains(live[field], value, { path: join(path, field), quantities }),
    );
  return (live === undefined && isZero(wanted)) || covers(live, wanted, field);
}
