import type { Action, PlannedResource } from '../../shared/preview/planned-resource.ts';
import type { Preview } from '../../shared/preview/preview.ts';
import type { RecordedDecision } from '../../shared/recording/recording.ts';
import type { Recording } from './place.ts';
import { type DecidedAgain, decideAgain, type ReplayContext } from './replay.ts';

interface ReplayChanges {
  /** True if all decisions are the same. Planning may have needed a different number of requests. */
  readonly isSame: boolean;
  readonly recorded: Preview;
  readonly different: number;
  /** Decisions that only this code makes. */
  readonly onlyNow: Preview;
  /** Decisions that only the recorded run made. */
  readonly onlyThen: Preview;
  /** Kinds that this code cannot plan but the recorded run could, with the errors. */
  readonly incomplete: Preview['incomplete'];
}

export type Replayed = { readonly file: string } & ReplayChanges &
  Pick<DecidedAgain, 'header' | 'writes' | 'redefined' | 'unanswered'>;

export async function replay(recording: Recording, context: ReplayContext): Promise<Replayed> {
  const decided = await decideAgain(recording, context);
  const { header, writes, redefined, unanswered, decisions, again } = decided;
  const known = { file: recording.name, header, writes, redefined, unanswered };
  return { ...known, ...changesIn(decisions, again) };
}

/**
 * First compares the decisions as if there were no rollouts, because other resources affect which changes wait in a
 * rollout. If these decisions are the same, compares the decisions as made.
 */
function changesIn(then: RecordedDecision, now: RecordedDecision): ReplayChanges {
  const isSame = textOf(then) === textOf(now);
  const incomplete = newlyIncomplete(then, now);
  const whole = difference(then.desired, now.desired);
  const found = whole.different > 0 || isSame ? whole : difference(then.decided, now.decided);
  return { isSame, recorded: then.decided, incomplete, ...found };
}

function newlyIncomplete(then: RecordedDecision, now: RecordedDecision) {
  const known = then.decided.incomplete.map(({ kind }) => kind);
  return now.decided.incomplete.filter(({ kind }) => !known.includes(kind));
}

const textOf = ({ decided, desired }: RecordedDecision): string => {
  const { resources, total, idle, pruning, incomplete } = decided;
  return JSON.stringify([resources, desired.resources, total, idle, pruning, incomplete]);
};

/** Both previews must be of the same resources. */
export function difference(
  then: Preview,
  now: Preview,
): Pick<ReplayChanges, 'different' | 'onlyNow' | 'onlyThen'> {
  const before = new Map(then.resources.map((one) => [keyOf(one), one]));
  const after = new Map(now.resources.map((one) => [keyOf(one), one]));
  const keys = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)),
  );
  const only = (whole: Preview, own: typeof before, other: typeof before): Preview => ({
    ...whole,
    resources: keys.flatMap((key) => without(own.get(key), other.get(key))),
  });
  return {
    different: keys.length,
    onlyNow: only(now, after, before),
    onlyThen: only(then, before, after),
  };
}

const keyOf = ({ resource, namespace, name }: PlannedResource): string =>
  `${resource} ${namespace}/${name}`;

function without(
  own: PlannedResource | undefined,
  other: PlannedResource | undefined,
): readonly PlannedResource[] {
  if (own === undefined) return [];
  const strings = new Set(
    [...(other?.actions ?? []), ...(other?.events ?? [])].map((one) => JSON.stringify(one)),
  );
  const isNew = (one: Action | PlannedResource['events'][number]): boolean =>
    !strings.has(JSON.stringify(one));
  const { status, message, reads, finalizer, begin: _, commit: __, ...rest } = own;
  const isOther = <T>(mine: T, theirs: T): boolean =>
    JSON.stringify(mine) !== JSON.stringify(theirs);
  const part: PlannedResource = {
    ...rest,
    actions: own.actions.filter(isNew),
    events: own.events.filter(isNew),
    commit: [],
    ...(status !== undefined && isOther(status, other?.status) ? { status } : {}),
    ...(message !== undefined && isOther(message, other?.message) ? { message } : {}),
    ...(reads !== undefined && isOther(reads, other?.reads) ? { reads } : {}),
    ...(finalizer !== undefined && finalizer !== other?.finalizer ? { finalizer } : {}),
  };
  const isEmpty =
    part.actions.length + part.events.length === 0 &&
    part.status === undefined &&
    part.message === undefined &&
    part.reads === undefined &&
    part.finalizer === undefined;
  return isEmpty ? [] : [part];
}
