import { suspendAnnotation } from '../../../shared/kinds/names.ts';
import { sampleManifests } from '../../generate/files.ts';
import { ageOf } from '../age.ts';
import { type Interval, parseInterval } from '../interval.ts';
import { shellQuote } from '../shell-quote.ts';
import { type Check, ok, warn } from './check.ts';
import type { CheckContext } from './check-context.ts';
import type { ResourceFacts } from './resource-facts.ts';

const name = 'audit events';

/** Older edits show how it was, not how it is. */
const recentMs = 5 * 60_000;

/** How long an audit entry may take to arrive on Google Cloud. */
const slowestMs = 60_000;

/** Below this, times in whole seconds prove nothing. */
const shortestMs = 5_000;

/** By chance, one tick in so many is as fast as an audit event. */
const chance = 10;

const promptMs = ({ ms }: Interval): number => Math.min(slowestMs, Math.floor(ms / chance));

/** An edit, and how long it waited, or has been waiting, for a run. */
interface Evidence {
  readonly resource: ResourceFacts;
  readonly editedAt: Date;
  readonly tookMs: number;
}

/**
 * Whether edits are answered faster than by ticks, judged by the newest conclusive edit.
 *
 * Caveats: only edits to a spec or of the suspension are counted, and only those that led to a write.
 */
export function auditCheck(resources: readonly ResourceFacts[], at: CheckContext): Check {
  const { now, interval, logs, remedies } = at;
  const prompt = promptMs(interval);
  if (prompt < shortestMs) {
    const remedy = remedies.isLocal ? slowerTicksCommand(resources, at) : logs.audit;
    return warn(name, `cannot be determined with a tick every ${interval.text}`, remedy);
  }
  const evidence = resources
    .flatMap((one) => evidenceOf(one, now))
    .toSorted((a, b) => b.editedAt.getTime() - a.editedAt.getTime());
  const conclusive = evidence.filter(
    ({ resource, tookMs }) => !resource.isWaiting || tookMs > prompt,
  );
  const [newest] = conclusive;
  if (newest === undefined || !isRecent(newest, now))
    return unknown({ resources, newest, isPending: evidence.length > conclusive.length }, at);
  const fact = factOf(newest, now);
  if (newest.tookMs <= prompt)
    return ok(
      name,
      `${fact}: consistent with an audit event, or by chance with a tick or a manual resync`,
    );
  return warn(name, `${fact}: audit events seem not to arrive`, logs.audit);
}

function evidenceOf(resource: ResourceFacts, now: Date): readonly Evidence[] {
  if (resource.isDeleting) return [];
  const editedAt = new Date(resource.editedAt);
  const end = resource.isWaiting ? now : new Date(resource.answeredAt ?? '');
  const tookMs = end.getTime() - editedAt.getTime();
  return Number.isNaN(tookMs) ? [] : [{ resource, editedAt, tookMs }];
}

/** An edit that is still waiting counts as recent. */
const isRecent = ({ resource, editedAt }: Evidence, now: Date): boolean =>
  resource.isWaiting || now.getTime() - editedAt.getTime() <= recentMs;

function factOf({ resource, tookMs }: Evidence, now: Date): string {
  const edited = `${resource.name}, edited ${ageOf(resource.editedAt, now)} ago`;
  if (resource.isWaiting) return `${edited}, is waiting for a run`;
  return `${edited}, was reconciled ${Math.round(tookMs / 1000)} s later`;
}

interface Inconclusive {
  readonly resources: readonly ResourceFacts[];
  readonly newest: Evidence | undefined;
  /** An edit so new that its answer may still arrive. */
  readonly isPending: boolean;
}

function unknown({ resources, newest, isPending }: Inconclusive, at: CheckContext): Check {
  if (isPending)
    return warn(
      name,
      'a resource was edited just now, and its run may be under way',
      recheckCommand(at),
    );
  const before =
    newest === undefined ? '' : `; the newest conclusive one: ${factOf(newest, at.now)}`;
  const message = `unknown: no edit in the last ${recentMs / 60_000} min is conclusive${before}`;
  return warn(name, message, trialCommand(resources, at));
}

/** Waits as long as an audit event may take, then runs doctor again with the same interval. */
function recheckCommand({ interval, remedies }: CheckContext): string {
  const seconds = Math.ceil(promptMs(interval) / 1000) + 1;
  return `sleep ${seconds}; ${remedies.doctor({ interval: interval.text })}`;
}

/**
 * Suspends a resource until doctor has seen how soon a run noticed; its children are left as they are.
 * If there is none, a sample is created.
 */
function trialCommand(resources: readonly ResourceFacts[], at: CheckContext): string {
  const { kinds, namespaces, remedies } = at;
  const one = resources.find(({ isDeleting, isSuspended }) => !isDeleting && !isSuspended);
  if (one !== undefined) {
    const annotate = (words: string): string =>
      remedies.kubectl(`annotate ${one.address} --overwrite ${suspendAnnotation}${words}`);
    return [annotate('=true'), recheckCommand(at), annotate('-')].join('; ');
  }
  // Applying a sample that exists is no edit.
  const isThere = (kind: string): boolean =>
    resources.some(({ name: words }) => words.startsWith(`${kind} `));
  const [sample] = kinds.filter((each) => !isThere(each.kind)).flatMap(sampleManifests);
  if (sample === undefined) return recheckCommand(at);
  const [namespace] = namespaces ?? [];
  const place = namespace === undefined ? '' : `-n ${shellQuote(namespace)} `;
  const manifest = shellQuote(JSON.stringify(sample));
  return `printf %s ${manifest} | ${remedies.kubectl(`apply ${place}-f -`)} && ${recheckCommand(at)}`;
}

/** The first tick runs at start and takes some seconds to settle. */
function slowerTicksCommand(resources: readonly ResourceFacts[], at: CheckContext): string {
  const interval = parseInterval('10m');
  const start = `npm start -- --interval ${interval.ms / 1000}`;
  return `${start}   # instead of the running one, with its other options; half a minute later:\n${trialCommand(resources, { ...at, interval })}`;
}
