import { suspendAnnotation } from '../../../shared/kinds/names.ts';
import { ageOf } from '../age.ts';
import { type Check, ok, warn } from './check.ts';
import type { Circumstances } from './circumstances.ts';
import { type Interval, parseInterval } from './interval.ts';
import { quote } from './remedies.ts';
import type { Resident } from './resident.ts';

const name = 'audit events';

/** What is older shows how it was, not how it is. */
const recentMs = 5 * 60_000;

/** An audit entry may take so long to arrive on Google Cloud. */
const slowestMs = 60_000;

/** Below this, times in whole seconds prove nothing. */
const shortestMs = 5_000;

/** By chance a tick is as fast as an audit event once in so many times. */
const chance = 10;

const promptMs = ({ ms }: Interval): number => Math.min(slowestMs, Math.floor(ms / chance));

/** An edit, and how long it waited, or has been waiting, for a run. */
interface Evidence {
  readonly resource: Resident;
  readonly editedAt: Date;
  readonly tookMs: number;
}

/**
 * Whether edits are answered faster than by ticks, judged by the newest conclusive edit.
 *
 * Caveats: only edits to a spec or of the suspension are counted, and only those that led to a write.
 */
export function auditCheck(residents: readonly Resident[], at: Circumstances): Check {
  const { now, interval, logs, remedies } = at;
  const prompt = promptMs(interval);
  if (prompt < shortestMs) {
    const remedy = remedies.isLocal ? slowed(residents, at) : logs.audit;
    return warn(name, `with a tick each ${interval.text} the cluster cannot tell`, remedy);
  }
  const evidence = residents
    .flatMap((one) => evidenceOf(one, now))
    .toSorted((a, b) => b.editedAt.getTime() - a.editedAt.getTime());
  const telling = evidence.filter(({ resource, tookMs }) => !resource.isWaiting || tookMs > prompt);
  const [newest] = telling;
  if (newest === undefined || !isRecent(newest, now))
    return unknown({ residents, newest, isPending: evidence.length > telling.length }, at);
  const fact = factOf(newest, now);
  if (newest.tookMs <= prompt)
    return ok(name, `${fact}: as an audit event does, or by chance a tick or a resync by hand`);
  return warn(name, `${fact}: audit events seem not to arrive`, logs.audit);
}

function evidenceOf(resource: Resident, now: Date): readonly Evidence[] {
  if (resource.isDeleting) return [];
  const editedAt = new Date(resource.editedAt);
  const end = resource.isWaiting ? now : new Date(resource.answeredAt ?? '');
  const tookMs = end.getTime() - editedAt.getTime();
  return Number.isNaN(tookMs) ? [] : [{ resource, editedAt, tookMs }];
}

/** An edit that still waits counts as of today. */
const isRecent = ({ resource, editedAt }: Evidence, now: Date): boolean =>
  resource.isWaiting || now.getTime() - editedAt.getTime() <= recentMs;

function factOf({ resource, tookMs }: Evidence, now: Date): string {
  const edited = `${resource.name}, edited ${ageOf(resource.editedAt, now)} ago`;
  if (resource.isWaiting) return `${edited}, waits for a run`;
  return `${edited}, was answered ${Math.round(tookMs / 1000)} s later`;
}

interface Ignorance {
  readonly residents: readonly Resident[];
  readonly newest: Evidence | undefined;
  /** An edit so new that its answer may still arrive. */
  readonly isPending: boolean;
}

function unknown({ residents, newest, isPending }: Ignorance, at: Circumstances): Check {
  if (isPending)
    return warn(name, 'an edit was made just now: its answer may be on its way', judged(at));
  const before = newest === undefined ? '' : `; the newest that tells: ${factOf(newest, at.now)}`;
  const message = `unknown: no edit of the last ${recentMs / 60_000} min tells${before}`;
  return warn(name, message, trial(residents, at));
}

/** Waits for what an audit event would do, and judges it by the same interval. */
function judged({ interval, remedies }: Circumstances): string {
  const seconds = Math.ceil(promptMs(interval) / 1000) + 1;
  return `sleep ${seconds}; ${remedies.doctor({ interval: interval.text })}`;
}

/**
 * Suspends a resource until it is known how fast that was noticed: its children are left as they are.
 * If there is none, a sample is created.
 */
function trial(residents: readonly Resident[], at: Circumstances): string {
  const { kinds, namespaces, remedies } = at;
  const one = residents.find(({ isDeleting, isSuspended }) => !isDeleting && !isSuspended);
  if (one !== undefined) {
    const annotate = (words: string): string =>
      remedies.kubectl(`annotate ${one.address} --overwrite ${suspendAnnotation}${words}`);
    return [annotate('=true'), judged(at), annotate('-')].join('; ');
  }
  // Applying a sample that exists is not an edit.
  const isThere = (kind: string): boolean =>
    residents.some(({ name: words }) => words.startsWith(`${kind} `));
  const kind = kinds.find((each) => !isThere(each.kind));
  if (kind === undefined) return judged(at);
  const [namespace] = namespaces ?? [];
  const place = namespace === undefined ? '' : `-n ${quote(namespace)} `;
  const sample = `infra/samples/${kind.kind.toLowerCase()}.yaml`;
  return `${remedies.kubectl(`apply ${place}-f ${sample}`)} && ${judged(at)}`;
}

/** The first tick comes with the start, and settles for some seconds. */
function slowed(residents: readonly Resident[], at: Circumstances): string {
  const interval = parseInterval('10m');
  const start = `npm start -- --interval ${interval.ms / 1000}`;
  return `${start}   # in place of the one that runs, with its other options; half a minute later:\n${trial(residents, { ...at, interval })}`;
}
