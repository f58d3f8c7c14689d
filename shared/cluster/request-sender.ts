import pLimit from 'p-limit';
import { groupResource, type ResourceType } from '../kubernetes.ts';
import type { Traffic } from './cluster.ts';
import {
  DeadlineError,
  isForbidden,
  isNotFound,
  isTransient,
  KubeError,
  UnreachableError,
} from './cluster-errors.ts';
import type { ApiResponse, Call, Connection } from './http/connection.ts';
import { metadataOnly } from './paths.ts';
import { type RetryOptions, retry } from './retry.ts';
import { within } from './time-limit.ts';

export interface RunLimits extends Pick<RetryOptions, 'deadline' | 'backoffMs'> {
  readonly concurrency: number;
}

export interface Sender {
  readonly send: (type: ResourceType, call: Call) => Promise<unknown>;
  /** Ends requests after `ms` milliseconds, or at this sender's deadline. */
  readonly withTimeout: (ms: number) => Sender;
  readonly traffic: Traffic;
}

/** Limits and counts the requests of one run, and retries transient failures. */
export function openSender(connection: Connection, limits: RunLimits): Sender {
  const limited = pLimit(limits.concurrency);
  const traffic: Traffic = {};
  const denied = new Set<string>();
  const senderUntil = (deadline: number, deadlineName: string): Sender => {
    const sendOnce = async (type: ResourceType, call: Call): Promise<unknown> => {
      const tooLate = () => new DeadlineError(`cannot ${call.what}: ${deadlineName} has passed`);
      if (Date.now() > deadline) throw tooLate();
      let hasBegun = false;
      const begin = (signal: AbortSignal): Promise<ApiResponse> =>
        limited(async () => {
          if (signal.aborted) throw tooLate();
          hasBegun = true;
          counted(traffic, type).requests++;
          return connection.send(call, signal);
        });
      const late = (): Error =>
        hasBegun
          ? new UnreachableError(`cannot ${call.what}: no response before ${deadlineName}`)
          : tooLate();
      // A timer may fire slightly early.
      const { value, bytes } = await within(deadline + 1 - Date.now(), begin, late);
      counted(traffic, type).bytes += bytes;
      return value;
    };
    return {
      traffic,
      send: sendingAgain(sendOnce, { ...limits, deadline }, denied),
      withTimeout: (ms) =>
        senderUntil(Math.min(deadline, Date.now() + ms), "the request's deadline"),
    };
  };
  return senderUntil(limits.deadline, "the run's deadline");
}

/** After this number of identical 500s without a `reason`, a write is not retried if its object can be read. */
const sameFailures = 3;

/**
 * Retries transient failures. Sends a forbidden request once more, because RBAC may not be loaded yet. If it stays
 * forbidden, `denied` makes later refusals final.
 *
 * Guarantees: is safe for writes, because each write has a lock: a second attempt changes nothing or is refused. If the
 * first attempt may have been carried out, the error has `lostResponse`.
 */
const sendingAgain =
  (
    sendOnce: Sender['send'],
    limits: Pick<RetryOptions, 'deadline' | 'backoffMs'>,
    denied: Set<string>,
  ): Sender['send'] =>
  (type, call) => {
    const permission = `${call.method} ${groupResource(type)}`;
    let mayBeDone = false;
    let denials = 0;
    const failures: KubeError[] = [];
    // Distinguishes an object that is too large from an etcd outage, which causes the same 500s.
    const canRead = (): Promise<boolean> => {
      const path = call.path.replace(/(\/status)?\?.*$/, '');
      const what = `${call.what} (reading it)`;
      const read = { method: 'GET', path, accept: metadataOnly, what } as const;
      return sendOnce(type, read).then(() => true, isNotFound);
    };
    const attempt = () =>
      sendOnce(type, call).catch(async (error: unknown) => {
        const isRefused = error instanceof KubeError;
        if (isForbidden(error) && ++denials === 2) denied.add(permission);
        mayBeDone ||= error instanceof UnreachableError || (isRefused && error.code >= 500);
        if (isRefused && mayBeDone) error.lostResponse = true;
        if (call.method !== 'GET' && isRefused && error.code >= 500) {
          failures.push(error);
          const same = failures.filter(({ message }) => message === error.message);
          // The 500 for an object that is too large for etcd has no reason; for a failed webhook, it has InternalError.
          const isSame = same.length === sameFailures && error.reason === 'HTTP 500';
          error.repeated = isSame && call.method !== 'POST' && (await canRead());
        }
        // Instead of a timeout, the last attempt throws the server's last error, which may name a slow webhook.
        const isLast = Date.now() + (limits.backoffMs ?? 100) >= limits.deadline;
        throw (!isRefused && isLast && failures.at(-1)) || error;
      });
    const mayPass = (error: unknown): boolean =>
      isTransient(error) || (isForbidden(error) && denials === 1 && !denied.has(permission));
    return retry(attempt, { ...limits, isTransient: mayPass });
  };

function counted(traffic: Traffic, type: ResourceType): Traffic[string] {
  const resource = groupResource(type);
  traffic[resource] ??= { requests: 0, bytes: 0 };
  return traffic[resource];
}
