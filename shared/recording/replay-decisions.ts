import { isMap } from '../canonical.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { isConflict } from '../cluster/cluster-errors.ts';
import type { Identity } from '../identity.ts';
import type { Child } from '../kinds/child.ts';
import { secret } from '../kinds/child-types/core.ts';
import type { Kind } from '../kinds/kind.ts';
import { rotationText } from '../kinds/references/generated-data.ts';
import type { RolloutPolicy } from '../kinds/rollout-budget.ts';
import { includesType, isSameType, type Json } from '../kubernetes.ts';
import { createLog } from '../log.ts';
import { type PreviewOptions, previewRun } from '../preview/preview.ts';
import { openMemory } from '../run/memory-budget.ts';
import { nodePortsOf } from '../run/node-ports.ts';
import type { Observer, Run } from '../run/run.ts';
import { holdsMasked, maskedText } from './masking.ts';
import { maxRecording, Recorder } from './recorder.ts';
import { decisionLines, type EndLine, type Header, type TruncatedLine } from './recording.ts';
import {
  type AskServer,
  type Replay,
  replayedCluster,
  type Unanswered,
} from './replayed-cluster.ts';
import { Snapshot } from './snapshot.ts';

export interface DecisionOptions extends PreviewOptions {
  readonly rollout: RolloutPolicy | undefined;
  readonly observer?: Observer;
  readonly askServer?: AskServer | undefined;
}

interface RecordedReads
  extends Pick<Header, 'at' | 'trigger' | 'reconcileRequests' | 'identity' | 'salt'>,
    Pick<Replay, 'snapshot'> {}

/** Assumes the response `takenAs` for each request in `unanswered`. */
export async function replayDecisions(recorded: RecordedReads, options: DecisionOptions) {
  const { planned, unanswered } = await replayRun(recorded, options);
  return { decided: planned.preview, desired: planned.unheld, unanswered };
}

/** Starts the recording of a run. `finish` plans again from what was read, and returns the recording's lines. */
export function recordRun(
  run: Run,
  header: Header,
  { options, limit = maxRecording }: { readonly options: DecisionOptions; readonly limit?: number },
) {
  const recorder = new Recorder(header.salt, limit);
  const cluster = recorder.through(run.cluster);
  return {
    run: { ...run, cluster, nodePorts: nodePortsOf(cluster) },
    async finish() {
      if (!recorder.isTruncated) {
        const snapshot = new Snapshot(recorder.lines.map((line) => JSON.parse(line)));
        const askServer = askLive(cluster, header.identity);
        const decisions = await replayDecisions({ ...header, snapshot }, { ...options, askServer });
        for (const line of decisionLines(decisions)) recorder.write(line);
      }
      const lines = [JSON.stringify(header), ...recorder.lines];
      const { isTruncated } = recorder;
      const last: TruncatedLine | EndLine = isTruncated
        ? { line: 'truncated', limit }
        : { line: 'end', lines: lines.length + 1 };
      return { lines: [...lines, JSON.stringify(last)], isTruncated };
    },
  };
}

/** Dry-runs changes that wait in a rollout, because the run itself does not. The recorder records the responses. */
const askLive =
  (cluster: Cluster, { name: manager }: Identity): AskServer =>
  async (type, _, sent) => {
    if (!('metadata' in sent) || holdsMasked(type, sent)) return undefined;
    try {
      return await cluster.apply(type, sent, { manager, dryRun: true });
    } catch (error) {
      // The result is unknown, because the run has changed the child.
      if (isConflict(error)) return undefined;
      throw error;
    }
  };

/** A first plan of the kinds that own Secrets yields the Secrets' values, which replace the recorded digests. */
export async function replayRun(recorded: RecordedReads, options: DecisionOptions) {
  const { area } = options;
  const replayed = replayedKinds(area.kinds, recorded);
  const replay = (kinds: readonly Kind[], askServer?: AskServer) =>
    preview(recorded, { ...options, area: { ...area, kinds }, askServer }, replayed);
  const owners = replayed.kinds.filter(({ owns }) => includesType(owns, secret));
  // Makes no dry runs: they are slow, and the Secrets' values do not depend on them.
  if (owners.length > 0) await replay(owners);
  return replay(replayed.kinds, options.askServer);
}

/** Longer than any run. */
const deadlineMs = 3_600_000;

async function preview(
  { snapshot, at, trigger, reconcileRequests: requests, identity }: RecordedReads,
  { rollout, observer, askServer, ...options }: DecisionOptions,
  { kinds, values }: ReturnType<typeof replayedKinds>,
) {
  const unanswered: Unanswered[] = [];
  const owned = kinds.flatMap(({ owns }) => owns);
  const read = kinds.flatMap(({ refersTo }) => refersTo);
  const restored = (digest: string): string => values.get(digest) ?? digest;
  const cluster = replayedCluster({
    snapshot,
    restored,
    unanswered,
    askServer,
    isRead: (type) => includesType(read, type) && !includesType(owned, type),
  });
  const begun = Date.parse(at);
  const log = createLog(() => undefined, 'ERROR');
  const memory = openMemory(Number.POSITIVE_INFINITY)('recording');
  const run: Run = {
    cluster,
    clients: { identity, log, now: () => new Date(at), observer },
    limits: { deadline: begun + deadlineMs, memory },
    policy: { trigger, seed: begun, rollout },
    nodePorts: nodePortsOf(cluster),
  };
  return { run, planned: await previewRun(run, requests, options), unanswered };
}

/** Wraps the kinds: each Secret that they return adds its strings to `values`, by their recorded digests. */
function replayedKinds(kinds: readonly Kind[], { salt }: RecordedReads) {
  const values = new Map<string, string>();
  const remember = ({ type, body, annotations, generated }: Child): void => {
    if (!isSameType(type, secret)) return;
    const rotation = generated && rotationText(generated);
    for (const value of stringsIn({ body, annotations, rotation }))
      values.set(maskedText(salt, value), value);
  };
  const wrapped =
    (of: Kind['desired']): Kind['desired'] =>
    (...given) => {
      const children = of(...given);
      if (!('invalid' in children)) for (const one of children) remember(one);
      return children;
    };
  return {
    values,
    kinds: kinds.map(({ desired, finalize, ...kind }) => ({
      ...kind,
      desired: wrapped(desired),
      ...(finalize && { finalize: wrapped(finalize) }),
    })),
  };
}

function stringsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isMap(value) ? Object.values(value).flatMap(stringsIn) : [];
}
