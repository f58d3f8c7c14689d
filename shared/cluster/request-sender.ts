import pLimit from 'p-limit';
import { groupResource, type KubeObject, type ResourceType } from '../kubernetes.ts';
import type { Traffic } from './cluster.ts';
import {
  DeadlineError,
  isDenied,
  isUnexplained,
  KubeError,
  UnreachableError,
} from './cluster-errors.ts';
import type { ApiResponse, Call, Connection } from './http/connection.ts';
import { retryTransient } from './retry.ts';
import { type Expiry, expiryAt } from './time-limit.ts';

export interface RunLimits {
  /** Limit of requests in flight. A 429 halves it for a while; ten successful responses raise it by one. */
  readonly concurrency: number;
  /** The deadline in milliseconds since the epoch. After it, no request is begun or waited for. */
  readonly deadline: number;
  /** Delay before the second attempt of a request in milliseconds, doubled before each further one; default: 100. */
  readonly backoffMs?: number;
}

export interface Sender {
  readonly send: <T = KubeObject>(type: ResourceType, call: Call) => Promise<T>;
  /** Returns a sender whose deadline is `ms` milliseconds from now, or this one's if that is earlier. */
  readonly withTimeout: (ms: number) => Sender;
  readonly traffic: Traffic;
}

/** Opens the sender for one run. It limits and counts the run's requests, and retries transient failures. */
export function openSender(connection: Connection, limits: RunLimits): Sender {
  const limit = pLimit(limits.concurrency);
  return senderUntil(limits.deadline, {
    connection,
    limits,
    limit,
    recovery: { responses: 0 },
    missing: new Set(),
    traffic: {},
    limitedBy: "the run's deadline",
  });
}

/** State that the senders of one run share. */
interface Shared {
  readonly connection: Connection;
  readonly limits: RunLimits;
  readonly limit: ReturnType<typeof pLimit>;
  /** Number of successful responses since the limit last changed. */
  readonly recovery: { responses: number };
  readonly traffic: Traffic;
  /** Permissions that were denied twice, as `rightOf` names them. */
  readonly missing: Set<string>;
  /** Names the deadline in errors. */
  readonly limitedBy: string;
}

function senderUntil(deadline: number, shared: Shared): Sender {
  const { limits, traffic } = shared;
  const retry = { deadline, backoffMs: limits.backoffMs };
  // Adds 1 ms, because a timer may fire slightly early and the deadline must have passed by then.
  const own = { ...shared, deadline, expiry: expiryAt(deadline + 1) };
  return {
    traffic,
    send: <T>(type: ResourceType, call: Call) => {
      const { missing } = shared;
      const mayBeLoading = missing.size === 0 || !missing.has(rightOf(type, call));
      let denials = 0;
      const failures: string[] = [];
      const sending = () =>
        sendOnce<T>(own, type, call).catch((error: unknown) => {
          // Counts only a second denial: the first may only mean that RBAC is not loaded yet.
          if (isDenied(error) && ++denials === 2) missing.add(rightOf(type, call));
          if (call.method !== 'GET' && isUnexplained(error)) {
            failures.push(error.message);
            error.repeated = failures.filter((one) => one === error.message).length >= sameFailures;
          }
          throw error;
        });
      return retryTransient(sending, { ...retry, mayBeLoading });
    },
    withTimeout: (ms) =>
      senderUntil(Math.min(deadline, Date.now() + ms), {
        ...shared,
        limitedBy: 'its own deadline within the run',
      }),
  };
}

/** Names the permission that a request needs: its path without the object's name. */
function rightOf({ plural }: ResourceType, { method, path }: Call): string {
  const [plain = ''] = path.split('?');
  const parts = plain.split('/');
  const name = parts.lastIndexOf(plural) + 1;
  return `${method} ${parts.map((part, at) => (at === name ? '*' : part)).join('/')}`;
}

/** Number of equal responses to a write after which the failure counts as permanent. */
const sameFailures = 3;

/** Number of successful responses that raise the limit of requests in flight by one. */
const responsesForSlot = 10;

interface Own extends Shared {
  readonly deadline: number;
  readonly expiry: Expiry;
}

/** Makes one attempt, once the number of requests in flight allows it. */
async function sendOnce<T>(
  { connection, limits, limit, recovery, traffic, limitedBy, deadline, expiry }: Own,
  type: ResourceType,
  call: Call,
): Promise<T> {
  const over = () => new DeadlineError(`cannot ${call.what}: ${limitedBy} has passed`);
  if (Date.now() > deadline) throw over();
  let sent = false;
  const { value, bytes } = await expiry.within(
    (signal) =>
      limit(async (): Promise<ApiResponse> => {
        // The deadline passed while the request waited for its turn.
        if (signal.aborted) throw over();
        sent = true;
        counted(traffic, type).requests++;
        const width = limit.concurrency;
        return connection.send(call, signal).catch((error: unknown) => {
          const isBusy = error instanceof KubeError && error.code === 429;
          // Halves the limit only once for requests that were in flight together.
          if (isBusy && limit.concurrency === width) {
            limit.concurrency = Math.max(1, width >> 1);
            recovery.responses = 0;
          }
          throw error;
        });
      }),
    () =>
      sent ? new UnreachableError(`cannot ${call.what}: no response before ${limitedBy}`) : over(),
  );
  if (limit.concurrency < limits.concurrency && ++recovery.responses === responsesForSlot) {
    limit.concurrency++;
    recovery.responses = 0;
  }
  counted(traffic, type).bytes += bytes;
  return value as T;
}

function counted(traffic: Traffic, type: ResourceType): Traffic[string] {
  const resource = groupResource(type);
  const known = traffic[resource] ?? { requests: 0, bytes: 0 };
  traffic[resource] = known;
  return known;
}
