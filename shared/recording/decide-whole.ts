import type { Cluster } from '../cluster/cluster.ts';
import { type Deciding, type Decisions, decide, type Reading } from './decide.ts';
import type { Recorder } from './recorder.ts';
import { snapshotOf, type Unanswered } from './replayed-cluster.ts';

/** How often what a plan reads further is read. */
const maxRounds = 5;

interface Recorded {
  readonly reading: Omit<Reading, 'snapshot'>;
  readonly options: Deciding;
}

/**
 * What a recorded run decided, from what is recorded; undefined if that is not all.
 *
 * Flow: what a plan reads by name and the run did not, as it did not come to write it, is read now, so that nothing is
 * missing when it is decided again.
 */
export async function decideWhole(
  { lines, isTruncated }: Recorder,
  cluster: Cluster,
  { reading, options }: Recorded,
): Promise<Decisions | undefined> {
  for (let round = 1; ; round++) {
    if (isTruncated()) return undefined;
    const snapshot = snapshotOf(lines.map((line) => JSON.parse(line)));
    const decisions = await decide({ ...reading, snapshot }, options);
    if (decisions.unread.length === 0 || round === maxRounds) return decisions;
    for (const one of decisions.unread) await read(cluster, one).catch(() => undefined);
  }
}

async function read(
  cluster: Cluster,
  { request, type, key, selection }: Unanswered,
): Promise<void> {
  if (request === 'list') await cluster.list(type, selection ?? {}, () => undefined);
  else if (key !== undefined) await cluster[request](type, key);
}
