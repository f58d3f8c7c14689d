import { hash } from 'node:crypto';
import type { Change, Kind, Note } from '../../kinds/kind.ts';
import {
  apiVersionOf,
  keyOf,
  type Manifest,
  type ResourceType,
  titleOf,
} from '../../kubernetes.ts';
import { nameInText, truncate } from '../../printable.ts';
import { allSucceeded, type Outcome } from '../decision/outcome.ts';
import { describeActor } from '../drift/cause.ts';
import { type Difference, isOwnershipOnly, type Writer } from '../drift/differences.ts';
import { isConcealed, secretChanged } from '../drift/secrecy.ts';
import { maxFieldPath, maxRepairedFields } from '../observed/applied.ts';
import type { ConditionSummary } from '../observed/conditions.ts';
import { isEdited, isUntried, type ObservedResource } from '../observed/observed-resource.ts';
import type { Subject } from '../observed/world.ts';

/** An Event to post. Its name is derived from the transition, so a second post is the same Event. */
export interface EventRecord extends Note {
  readonly of: string;
}

interface Reported {
  readonly summary: ConditionSummary;
  /** The message of a stall's Event; default: that of the condition. */
  readonly event?: string;
  readonly outcomes: readonly Outcome[];
}

/**
 * The Events of one run for one resource. Only transitions cause Events; without a change there is none.
 *
 * Caveats: Events are posted after the writes that they report. If the process dies in between, the Event is
 * lost.
 */
export function eventsFor(
  kind: Kind,
  resource: ObservedResource,
  { summary, event, outcomes }: Reported,
): readonly EventRecord[] {
  const { status } = resource;
  const newGeneration = isEdited(resource);
  const untried = isUntried(resource);
  // A run that wrote for the edit reports it, even if another run wrote the status meanwhile.
  const edited = outcomes.some((outcome) => outcome.edited === true);
  const condition = (type: string) => status.conditions?.find((one) => one.type === type);
  const left = condition('Stalled') ?? condition('Reconciling') ?? condition('Ready');
  const wasStalled = left?.type === 'Stalled';
  const completed =
    summary.state !== 'Stalled' && allSucceeded(outcomes) && (newGeneration || wasStalled);
  const of = left === undefined ? '' : `${left.lastTransitionTime} ${left.reason} ${left.message}`;
  const asked =
    newGeneration && !untried ? outcomes.filter((one) => one.edited === true) : outcomes;
  const notes =
    resource.deleting || resource.observed
      ? []
      : kind.notes({
          newGeneration: untried || edited,
          completed,
          changes: asked.flatMap(changesOf),
        });
  const { state, reason, message } = { reason: '', message: '', ...summary };
  const isNewStall = state === 'Stalled' && (left?.reason !== reason || left.message !== message);
  const stalled: readonly EventRecord[] = isNewStall
    ? [{ type: 'Warning', reason, message: event ?? message, of }]
    : [];
  return [
    ...notes.map((note) => ({ ...note, of })),
    ...(untried ? [] : outcomes.flatMap(repair)),
    ...stalled,
  ];
}

const changesOf = ({ child, differences = [] }: Outcome): readonly Change[] =>
  differences.map(({ path, from, to }) => ({ child, path, from, to }));

const repairReason = 'Repaired';
const updatedReason = 'Updated';

/** The Event for a child that was written although its resource was not edited. */
function repair(outcome: Outcome): readonly EventRecord[] {
  const { child, version = '', by } = outcome;
  const done = repairIn(outcome);
  if (done === undefined) return [];
  const message =
    done === 'created'
      ? `was gone, created again${by === undefined ? '' : `, deleted${describeActor(by)}`}`
      : done.map(describe).join('; ');
  return [
    {
      type: 'Normal',
      reason: isNewlyDesired(outcome) ? updatedReason : repairReason,
      message: `${titleOf(child)}: ${message}`,
      of: version,
    },
  ];
}

function repairIn(outcome: Outcome): 'created' | readonly Difference[] | undefined {
  const { result, differences = [], lost, edited, repeated } = outcome;
  if (edited === true || repeated === true) return undefined;
  if (result === 'created' && lost === true) return 'created';
  const repaired = differences.filter((one) => !isNewVersion(one));
  // An update without differences has only consolidated managedFields.
  return repaired.length > 0 && result === 'updated' ? repaired : undefined;
}

/** The paths of the repaired fields by child; undefined if the child was created again. */
export const repairsIn = (
  outcomes: readonly Outcome[],
): ReadonlyMap<string, readonly string[] | undefined> =>
  new Map(
    outcomes.flatMap((outcome) => {
      const done = isNewlyDesired(outcome) ? undefined : repairIn(outcome);
      if (done === undefined) return [];
      return [[keyOf(outcome.child), done === 'created' ? undefined : fieldsOf(done)] as const];
    }),
  );

function fieldsOf(differences: readonly Difference[]): readonly string[] {
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

/** Reports whether the child was up to date before, so that a missing field is newly desired and was not removed. */
const isNewlyDesired = ({ origin, differences = [] }: Outcome): boolean =>
  (origin === 'reference' || origin === 'code') &&
  differences.every(({ writer }) => writer === undefined);

/** Reports whether only the apiVersion in our owner reference differs. */
const isNewVersion = ({ path, from, to, writer }: Difference): boolean =>
  writer === undefined &&
  path.startsWith('metadata.ownerReferences[') &&
  path.endsWith('].apiVersion') &&
  groupOf(from) !== undefined &&
  groupOf(from) === groupOf(to);

const groupOf = (apiVersion: unknown): string | undefined =>
  typeof apiVersion === 'string' ? apiVersion.split('/')[0] : undefined;

/** Formats a difference: `spec.replicas 5 → 2, changed by kubectl`, or `data.password (secret changed)`. */
export const describe = (difference: Difference): string =>
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
  const reporter = identity.name;
  const identified = JSON.stringify([resource.uid, reason, message, resource.generation, of]);
  const digest = hash('sha256', identified).slice(0, 16);
  const { name, namespace, uid, resourceVersion } = resource;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${digest}`,
      // As in client-go.
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
    source: { component: reporter },
    reportingComponent: reporter,
    reportingInstance: reporter,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
