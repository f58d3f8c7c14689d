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
  /** Maximum number of requests in flight. A 429 halves it for a while; ten successful responses raise it by one. */
  readonly concurrency: number;
  /** In milliseconds since the epoch. After it, no request is begun or waited for. */
  readonly deadline: number;
  /** Milliseconds before the second attempt of a request, doubled before each further one; default: 100. */
  readonly backoffMs?: number;
}

export interface Sender {
  readonly send: <T = KubeObject>(type: ResourceType, call: Call) => Promise<T>;
  /** Returns a sender with the earlier of two deadlines: `ms` milliseconds from now, and that of this sender. */
  readonly withTimeout: (ms: number) => Sender;
  readonly traffic: Traffic;
}

/** Opens the sender of one run. It limits and counts the run's requests, and retries transient failures. */
export function openSender(connection: Connection, limits: RunLimits): Sender {
  const limit = pLimit(limits.concurrency);
  return senderUntil(limits.deadline, {
    connection,
    limits,
    limit,
    recovery: { responses: 0 },
    denied: new Set(),
    traffic: {},
    deadlineName: "the run's deadline",
  });
}

interface Shared {
  readonly connection: Connection;
  readonly limits: RunLimits;
  readonly limit: ReturnType<typeof pLimit>;
  /** The number of successful responses since the limit last changed. */
  readonly recovery: { responses: number };
  readonly traffic: Traffic;
  /** The permissions that were denied twice, as `permissionOf` returns them. */
  readonly denied: Set<string>;
  readonly deadlineName: string;
}

function senderUntil(deadline: number, shared: Shared): Sender {
  const { limits, traffic } = shared;
  const retry = { deadline, backoffMs: limits.backoffMs };
  // Adds 1 ms, because a timer may fire slightly before its time.
  const state = { ...shared, deadline, expiry: expiryAt(deadline + 1) };
  return {
    traffic,
    send: <T>(type: ResourceType, call: Call) => {
      const { denied } = shared;
      const mayBeLoading = denied.size === 0 || !denied.has(permissionOf(type, call));
      let denials = 0;
      const failures: string[] = [];
      const sending = () =>
        sendOnce<T>(state, type, call).catch((error: unknown) => {
          // The first denial may only mean that RBAC is not loaded yet.
          if (isDenied(error) && ++denials === 2) denied.add(permissionOf(type, call));
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
        deadlineName: 'its own deadline within the run',
      }),
  };
}

/** Returns the method and the path without the object's name, which stand for the permission that a call needs. */
function permissionOf({ plural }: ResourceType, { method, path }: Call): string {
  const [plain = ''] = path.split('?');
  const parts = plain.split('/');
  const name = parts.lastIndexOf(plural) + 1;
  return `${method} ${parts.map((part, at) => (at === name ? '*' : part)).join('/')}`;
}

/** Number of equal responses to a write after which the failure counts as permanent. */
const sameFailures = 3;

interface SenderState extends Shared {
  readonly deadline: number;
  readonly expiry: Expiry;
}

/** Sends a request once, as soon as the number of requests in flight allows it. */
async function sendOnce<T>(
  { connection, limits, limit, recovery, traffic, deadlineName, deadline, expiry }: SenderState,
  type: ResourceType,
  call: Call,
): Promise<T> {
  const tooLate = () => new DeadlineError(`cannot ${call.what}: ${deadlineName} has passed`);
  if (Date.now() > deadline) throw tooLate();
  let sent = false;
  const { value, bytes } = await expiry.within(
    (signal) =>
      limit(async (): Promise<ApiResponse> => {
        if (signal.aborted) throw tooLate();
        sent = true;
        counted(traffic, type).requests++;
        const { concurrency } = limit;
        return connection.send(call, signal).catch((error: unknown) => {
          const isBusy = error instanceof KubeError && error.code === 429;
          // Halves the limit once, even if all requests in flight are refused.
          if (isBusy && limit.concurrency === concurrency) {
            limit.concurrency = Math.max(1, concurrency >> 1);
            recovery.responses = 0;
          }
          throw error;
        });
      }),
    () =>
      sent
        ? new UnreachableError(`cannot ${call.what}: no response before ${deadlineName}`)
        : tooLate(),
  );
  if (limit.concurrency < limits.concurrency && ++recovery.responses === 10) {
    limit.concurrency++;
    recovery.responses = 0;
  }
  counted(traffic, type).bytes += bytes;
  return value as T;
}

function counted(traffic: Traffic, type: ResourceType): Traffic[string] {
  const resource = groupResource(type);
  traffic[resource] ??= { requests: 0, bytes: 0 };
  return traffic[resource];
}
