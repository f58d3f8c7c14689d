import { hash } from 'node:crypto';
import type { Change, Kind, Note, Progress } from '../../kinds/kind.ts';
import {
  apiVersionOf,
  keyOf,
  type Manifest,
  type ResourceType,
  titleOf,
} from '../../kubernetes.ts';
import { nameInText, truncate } from '../../printable.ts';
import { codeFails } from '../decision/desired.ts';
import { isSatisfied, type Outcome } from '../decision/outcome.ts';
import { dependencyPending } from '../decision/reasons.ts';
import { describeActor } from '../drift/cause.ts';
import { type Difference, isOwnershipOnly, type Writer } from '../drift/differences.ts';
import { isConcealed, secretChanged } from '../drift/secrecy.ts';
import { maxFieldPath, maxRepairedFields } from '../observed/applied.ts';
import type { ConditionSummary } from '../observed/conditions.ts';
import { isEdited, isUntried, type ObservedResource } from '../observed/observed-resource.ts';
import type { Subject } from '../observed/world.ts';

export interface EventRecord extends Note {
  /** The transition that the Event reports. The Event's name is derived from it, so a second post adds no Event. */
  readonly of: string;
}

/**
 * Returns the Events of one run for one resource. Only transitions cause Events.
 *
 * Caveats: an Event is posted after the write that it reports. If the process dies in between, the Event may be lost.
 */
export function eventsFor(
  kind: Kind,
  resource: ObservedResource,
  { summary, outcomes }: { summary: ConditionSummary; outcomes: readonly Outcome[] },
): readonly EventRecord[] {
  const newGeneration = isEdited(resource);
  const untried = isUntried(resource);
  // A run that wrote children because of an edit reports the edit, even if another run wrote the status meanwhile.
  const edited = outcomes.filter(({ origin }) => origin === 'edit');
  const condition = (type: string) => resource.status.conditions?.find((one) => one.type === type);
  const left = condition('Stalled') ?? condition('Reconciling') ?? condition('Ready');
  const of = left === undefined ? '' : `${left.lastTransitionTime} ${left.reason} ${left.message}`;
  const isChange = newGeneration || left?.type === 'Stalled';
  const { state, reason, message } = { reason: '', message: '', ...summary };
  const isOver = state !== 'Stalled' && reason !== dependencyPending;
  const completed = isOver && outcomes.every(isSatisfied) && isChange;
  const changes = (newGeneration && !untried ? edited : outcomes).flatMap(changesOf);
  const progress = { newGeneration: untried || edited.length > 0, completed, changes };
  const notes = resource.deleting || resource.observeOnly ? [] : notesOf(kind, progress);
  const isNewStall = state === 'Stalled' && (left?.reason !== reason || left.message !== message);
  return [
    ...notes.map((note) => ({ ...note, of })),
    ...(untried ? [] : outcomes.flatMap(repair)),
    ...(isNewStall ? [{ type: 'Warning', reason, message, of } as const] : []),
  ];
}

/** Returns the kind's own Events. If its code fails, returns a Warning, so that the status is not delayed. */
function notesOf(kind: Kind, progress: Progress): readonly Note[] {
  try {
    return [...kind.notes(progress)];
  } catch (error) {
    return [{ type: 'Warning', reason: 'InvalidSpec', message: codeFails(error) }];
  }
}

const changesOf = ({ child, differences = [] }: Outcome): readonly Change[] =>
  differences.map(({ path, from, to }) => ({ child, path, from, to }));

/** Returns the Event for a write that is not due to an edit of the resource. */
function repair(outcome: Outcome): readonly EventRecord[] {
  const { child, version = '', by } = outcome;
  const done = repairIn(outcome);
  if (done === undefined) return [];
  const gone = by === undefined ? 'gone' : `deleted${describeActor(by)}`;
  const texts = { created: `was ${gone}, created again`, deleted: 'no longer desired, deleted' };
  const what = typeof done === 'string' ? texts[done] : done.map(changeText).join('; ');
  const reason = isNewlyDesired(outcome) ? 'Updated' : 'Repaired';
  return [{ type: 'Normal', reason, message: `${titleOf(child)}: ${what}`, of: version }];
}

function repairIn(outcome: Outcome): 'created' | 'deleted' | readonly Difference[] | undefined {
  const { result, differences = [], existed, origin, repeated } = outcome;
  if (origin === 'edit' || repeated === true) return undefined;
  if (result === 'created' && existed === true) return result;
  if (result === 'deleted' && isNewlyDesired(outcome)) return result;
  const repaired = differences.filter((one) => !isNewVersion(one));
  // An update without differences is no repair: it consolidated managedFields, or withdrew an unwanted child's paths.
  return repaired.length > 0 && result === 'updated' ? repaired : undefined;
}

/** Maps each repaired child to the paths of its repaired fields, or to undefined if the child was recreated. */
export const repairsIn = (
  outcomes: readonly Outcome[],
): ReadonlyMap<string, readonly string[] | undefined> =>
  new Map(
    outcomes.flatMap((outcome) => {
      const done = isNewlyDesired(outcome) ? undefined : repairIn(outcome);
      if (done === undefined) return [];
      return [
        [keyOf(outcome.child), typeof done === 'string' ? undefined : pathsIn(done)] as const,
      ];
    }),
  );

function pathsIn(differences: readonly Difference[]): readonly string[] {
  const paths = differences.map(({ path }) => path);
  const isShort =
    paths.length <= maxRepairedFields && paths.every((one) => one.length <= maxFieldPath);
  return isShort ? [...new Set(paths)] : outermost(paths);
}

export const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths.map((path) => /^[^.[]{0,64}/.exec(path)?.[0] ?? ''))].slice(
    0,
    maxRepairedFields,
  );

/** Reports whether only desired values have changed: the child was up to date before. */
const isNewlyDesired = ({ origin, differences = [] }: Outcome): boolean =>
  (origin === 'reference' || origin === 'code') &&
  differences.every(({ writer }) => writer === undefined);

const isNewVersion = ({ path, from, to, writer }: Difference): boolean =>
  writer === undefined &&
  /^metadata\.ownerReferences\[.*\]\.apiVersion$/.test(path) &&
  String(from).split('/')[0] === String(to).split('/')[0];

/** Formats a difference: `spec.replicas 5 → 2, changed by kubectl`, or `data.password (secret changed)`. */
export const changeText = (difference: Difference): string =>
  truncate(inWords(difference), maxMessage);

function inWords(difference: Difference): string {
  const { path, from, to, writer } = difference;
  const by = writer === undefined ? '' : nameOf(writer);
  if (from === undefined && to === undefined) return `${path} cleared`;
  if (isOwnershipOnly(difference)) return `${path} taken over${by}`;
  const what = isConcealed(difference) ? secretChanged : `${text(from)} → ${text(to)}`;
  return `${path} ${what}${by === '' ? '' : `, changed${by}`}`;
}

export const eventType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
};

const nameOf = ({ manager, actor }: Writer): string =>
  actor === undefined ? ` by ${nameInText(manager)}` : describeActor(actor);

const text = (value: unknown): string => (value === undefined ? '(none)' : JSON.stringify(value));

export const maxMessage = 1024;

export function eventManifest(
  { identity, kind, resource }: Subject,
  { type, reason, message, of }: EventRecord,
  now: string,
): Manifest {
  const { name: component } = identity;
  const identified = JSON.stringify([resource.uid, reason, message, resource.generation, of]);
  const digest = hash('sha256', identified).slice(0, 16);
  const { name, namespace, uid, resourceVersion } = resource;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${digest}`,
      namespace: namespace === '' ? 'default' : namespace,
    },
    involvedObject: {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid,
      resourceVersion,
    },
    type,
    reason,
    message: truncate(message, maxMessage),
    source: { component },
    reportingComponent: component,
    reportingInstance: component,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
