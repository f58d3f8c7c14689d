import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { type Config, parseConfig } from '../../shared/config/config.ts';
import type { ReconcilerConfig } from '../../shared/config/define-config.ts';
import type { Environment } from '../../shared/environment.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import {
  definitionDigest,
  type Header,
  type RecordedDecision,
  recordedVariables,
  type WriteLine,
} from '../../shared/recording/recording.ts';
import { replayDecisions } from '../../shared/recording/replay-decisions.ts';
import type { Unanswered } from '../../shared/recording/replayed-cluster.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';
import { RecordingError } from './errors.ts';
import type { Recording } from './place.ts';
import { parseRecording } from './recording-file.ts';

/** The decisions of a recorded run, and the decisions that this code makes from the same objects (`again`). */
export interface DecidedAgain {
  readonly header: Header;
  readonly config: Config;
  readonly snapshot: Snapshot;
  readonly decisions: RecordedDecision;
  readonly again: RecordedDecision;
  /** Requests from this code that have no response in the recording. */
  readonly unanswered: readonly Unanswered[];
  readonly writes: readonly WriteLine[];
  /** Kinds whose CRD differs from the recorded CRD. */
  readonly redefined: readonly string[];
}

export interface ReplayContext {
  readonly reconciler: ReconcilerConfig;
  readonly env: Environment;
  /** Decides as if there were no rollouts. */
  readonly isAtOnce?: boolean;
}

export async function decideAgain(
  { name: file, read }: Pick<Recording, 'name' | 'read'>,
  { reconciler, env, isAtOnce = false }: ReplayContext,
): Promise<DecidedAgain> {
  const { header, requests, decisions } = parseRecording(file, await read());
  const config = configFor(file, header, { reconciler, env });
  requireKinds(file, header, { config, env });
  const kinds = config.kinds.filter((kind) => Object.hasOwn(header.kinds, groupResource(kind)));
  const snapshot = new Snapshot(requests);
  const { concurrency, pruneLimit, namespaces } = config;
  const rollout = isAtOnce ? undefined : config.rollout;
  // Imports this module only here, because it loads the local cluster, which other commands do not need.
  const { openOfflineServer } = await import('../check/offline-server.ts');
  const askServer = openOfflineServer(header.identity.name);
  const options = { area: { kinds, namespaces }, concurrency, pruneLimit, rollout, askServer };
  const { unanswered, ...again } = await replayDecisions({ ...header, snapshot }, options);
  return {
    header,
    config,
    snapshot,
    decisions,
    again,
    unanswered,
    writes: requests.filter((one) => one.line === 'write'),
    redefined: kinds
      .filter((kind) => header.kinds[groupResource(kind)] !== definitionDigest(kind))
      .map(({ kind }) => kind),
  };
}

function requireKinds(
  file: string,
  { kinds }: Header,
  { config, env }: { readonly config: Config; readonly env: Environment },
): void {
  const missing = Object.keys(kinds).filter(
    (one) => !config.kinds.some((kind) => groupResource(kind) === one),
  );
  if (missing.length > 0)
    throw new RecordingError(
      `${file}, line 1: the run reconciled ${missing.join(', ')}, which this configuration${env.KINDS ? ', with KINDS from the environment,' : ''} does not have: ${env.KINDS ? 'unset KINDS, ' : ''}add the kind, or name another --config`,
    );
}

/** Returns the configuration of the recorded run; settings in the environment take precedence. */
function configFor(
  file: string,
  { settings }: Header,
  { reconciler, env }: { readonly reconciler: ReconcilerConfig; readonly env: Environment },
): Config {
  const values = recordedVariables(reconciler.settings).map((name) => {
    const own = env[name]?.trim() ?? '';
    return [name, own === '' ? (settings[name] ?? '') : own];
  });
  try {
    return parseConfig(reconciler, { ...Object.fromEntries(values), CLUSTER_CONTEXT: 'none' });
  } catch (error) {
    throw new RecordingError(
      `${file}: ${messageOf(error)} (settings come from the environment, otherwise from the recording)`,
    );
  }
}
