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
import type { Difference, Writer } from '../drift/differences.ts';
import { isOwnershipOnly } from '../drift/differences.ts';
import { isConcealed, secretChanged } from '../drift/secrecy.ts';
import { maxFieldPath, maxRepairedFields } from '../observed/applied.ts';
import type { ConditionSummary } from '../observed/conditions.ts';
import { isEdited, isUntried } from '../observed/edited.ts';
import type { ObservedResource } from '../observed/observed-resource.ts';
import type { Subject } from '../observed/world.ts';
import { describeActor } from './attribution.ts';

/** An Event to post. Its name is derived from the transition, so a second post is the same Event. */
export interface EventRecord extends Note {
  /** Identifies the transition. */
  readonly of: string;
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
  {
    summary,
    event,
    outcomes,
  }: {
    readonly summary: ConditionSummary;
    /** The message of a stall's Event; default: that of the condition. */
    readonly event?: string;
    readonly outcomes: readonly Outcome[];
  },
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
  const stalled =
    summary.state === 'Stalled' &&
    (left?.reason !== summary.reason || left.message !== summary.message);
  return [
    ...notes.map((note) => ({ ...note, of })),
    ...(untried ? [] : outcomes.flatMap(repair)),
    ...(stalled
      ? [
          {
            type: 'Warning' as const,
            reason: summary.reason,
            message: event ?? summary.message,
            of,
          },
        ]
      : []),
  ];
}

const changesOf = ({ child, differences = [] }: Outcome): readonly Change[] =>
  differences.map(({ path, from, to }) => ({ child, path, from, to }));

const repairReason = 'Repaired';
/** The reason of an Event for a child that follows a referenced object or the kind's code. */
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

/** Returns the repair of a child in this run; undefined if there is nothing to report. */
function repairIn({
  result,
  differences = [],
  lost,
  edited,
  repeated,
}: Outcome): 'created' | readonly Difference[] | undefined {
  if (edited === true || repeated === true) return undefined;
  if (result === 'created' && lost === true) return 'created';
  const repaired = differences.filter((one) => !isNewVersion(one));
  // An update without differences has only consolidated managedFields.
  return repaired.length > 0 && result === 'updated' ? repaired : undefined;
}

/**
 * The repairs to record in the status, by child: paths of the repaired fields, or undefined if the child was
 * created again. Too many or too long paths are replaced by those of the fields that contain them.
 */
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

/** Returns the outermost fields that contain these. */
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

/** Limit of an Event's message in characters. */
export const maxMessage = 1024;

/** The namespace for Events about a resource; `default` for a cluster-scoped one, as in client-go. */
const eventNamespaceOf = ({ namespace }: Pick<ObservedResource, 'namespace'>): string =>
  namespace === '' ? 'default' : namespace;

/** The core/v1 Event about the resource; `now` is RFC 3339. */
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
      namespace: eventNamespaceOf(resource),
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
