import type { RolloutPolicy } from '../kinds/rollout-budget.ts';
import { includesType } from '../kubernetes.ts';
import { createLog } from '../log.ts';
import { type Preview, type PreviewOptions, previewRun } from '../preview/preview.ts';
import { openLookups } from '../run/lookups.ts';
import { openMemory } from '../run/memory-budget.ts';
import type { Run } from '../run/run.ts';
import type { Header } from './recording.ts';
import { replayedCluster, type Snapshot, type Unanswered } from './replayed-cluster.ts';
import { replayedKinds } from './replayed-kinds.ts';

/** With what a recording is decided again. */
export interface Deciding extends PreviewOptions {
  readonly rollout: RolloutPolicy | undefined;
}

/** What a run of this code read, and when it began. */
export interface Reading extends Pick<Header, 'at' | 'trigger' | 'scopes' | 'identity' | 'salt'> {
  readonly snapshot: Snapshot;
}

export interface Decisions {
  readonly decided: Preview;
  /** As if no rollout held anything back. */
  readonly wanted: Preview;
  /** What the recording does not contain, of the requests for `wanted`, and of all. */
  readonly unanswered: readonly Unanswered[];
  readonly unread: readonly Unanswered[];
}

/**
 * Decides on what a run has read, with this code.
 *
 * Flow: kinds say which values they want in Secrets → recorded digests of these values become values → plan, without and
 * with the rollout.
 * Guarantees: the same recording, code and options give the same decisions.
 */
export async function decide(reading: Reading, options: Deciding): Promise<Decisions> {
  const { area, rollout } = options;
  const { kinds, wanted: values } = replayedKinds(area.kinds, reading.snapshot, reading.salt);
  const decideWith = (policy?: RolloutPolicy) =>
    preview(reading, { ...options, area: { ...area, kinds }, rollout: policy }, values);
  const first = await decideWith();
  const whole = values.size === 0 ? first : await decideWith();
  const isHeld = rollout !== undefined && whole.preview.resources.some(isByCode);
  const held = isHeld ? await decideWith(rollout) : whole;
  return {
    decided: held.preview,
    wanted: whole.preview,
    unanswered: whole.unanswered,
    unread: [...whole.unanswered, ...(isHeld ? held.unanswered : [])],
  };
}

const isByCode = ({ actions }: Preview['resources'][number]): boolean =>
  actions.some(({ origin }) => origin === 'code');

/** Longer than any run takes: nothing is left out for want of time. */
const deadlineMs = 3_600_000;

async function preview(
  { snapshot, at, trigger, scopes, identity }: Reading,
  { rollout, ...options }: Deciding,
  values: ReadonlyMap<string, string>,
): Promise<{ readonly preview: Preview; readonly unanswered: readonly Unanswered[] }> {
  const unanswered: Unanswered[] = [];
  const { kinds } = options.area;
  const owned = kinds.flatMap(({ owns }) => owns);
  const read = kinds.flatMap(({ refersTo }) => refersTo);
  const restored = (digest: string): string => values.get(digest) ?? digest;
  const cluster = replayedCluster({
    snapshot,
    restored,
    unanswered,
    isRead: (type) => includesType(read, type) && !includesType(owned, type),
  });
  const clients = {
    identity,
    log: createLog(() => undefined, 'ERROR'),
    now: () => new Date(at),
  };
  const run: Run = {
    cluster,
    clients,
    limits: {
      deadline: Date.parse(at) + deadlineMs,
      memory: openMemory(Number.POSITIVE_INFINITY)('recording'),
    },
    policy: { trigger, rollout },
    lookups: openLookups(cluster, clients),
  };
  const seen = await previewRun(run, scopes, options);
  return { preview: seen.preview, unanswered };
}
