import pLimit from 'p-limit';
import { groupResource, type ResourceType } from '../kubernetes.ts';
import type { Traffic } from './cluster.ts';
import {
  DeadlineError,
  isDenied,
  isNotFound,
  isUnexplained,
  KubeError,
  UnreachableError,
} from './cluster-errors.ts';
import type { ApiResponse, Call, Connection } from './http/connection.ts';
import { metadataOnly } from './paths.ts';
import { type RetryOptions, retryTransient } from './retry.ts';
import { withinUntil } from './time-limit.ts';

export interface RunLimits {
  /**
   * Maximum number of requests in flight. A 429 halves this number; ten successful responses raise it by one.
   */
  readonly concurrency: number;
  /** The time, in milliseconds since the epoch, after which no request is begun or waited for. */
  readonly deadline: number;
  /**
   * Minimum time before the second attempt of a request, in ms, doubled before each further one; default:
   * 100.
   */
  readonly backoffMs?: number;
}

export interface Sender {
  readonly send: (type: ResourceType, call: Call) => Promise<unknown>;
  /** Returns a sender with the earlier of two deadlines: `ms` milliseconds from now, and that of this sender. */
  readonly withTimeout: (ms: number) => Sender;
  readonly traffic: Traffic;
}

/** Opens the sender of one run. It limits and counts the run's requests, and retries transient failures. */
export function openSender(connection: Connection, limits: RunLimits): Sender {
  const limited = openLimit(limits.concurrency);
  const traffic: Traffic = {};
  const denied = new Set<string>();
  const senderUntil = (deadline: number, deadlineName: string): Sender => {
    // Adds 1 ms, because a timer may fire slightly before its time.
    const within = withinUntil(deadline + 1);
    const sendOnce = async (type: ResourceType, call: Call): Promise<unknown> => {
      const tooLate = () => new DeadlineError(`cannot ${call.what}: ${deadlineName} has passed`);
      if (Date.now() > deadline) throw tooLate();
      let sent = false;
      const begin = (signal: AbortSignal): Promise<ApiResponse> =>
        limited(async () => {
          if (signal.aborted) throw tooLate();
          sent = true;
          counted(traffic, type).requests++;
          return connection.send(call, signal);
        });
      const late = () =>
        sent
          ? new UnreachableError(`cannot ${call.what}: no response before ${deadlineName}`)
          : tooLate();
      const { value, bytes } = await within(begin, late);
      counted(traffic, type).bytes += bytes;
      return value;
    };
    const retry = { deadline, backoffMs: limits.backoffMs };
    return {
      traffic,
      send: sendingAgain(sendOnce, retry, denied),
      withTimeout: (ms) =>
        senderUntil(Math.min(deadline, Date.now() + ms), "the request's deadline"),
    };
  };
  return senderUntil(limits.deadline, "the run's deadline");
}

/** Limits the requests in flight. A 429 halves the limit; ten responses raise it by one, up to `most`. */
function openLimit(most: number) {
  const limit = pLimit(most);
  let responses = 0;
  return (send: () => Promise<ApiResponse>): Promise<ApiResponse> =>
    limit(async () => {
      const { concurrency } = limit;
      try {
        const response = await send();
        if (limit.concurrency < most && ++responses === 10) {
          limit.concurrency++;
          responses = 0;
        }
        return response;
      } catch (error) {
        const isBusy = error instanceof KubeError && error.code === 429;
        // Halves the limit only once if all requests in flight are refused.
        if (isBusy && limit.concurrency === concurrency) {
          limit.concurrency = Math.max(1, concurrency >> 1);
          responses = 0;
        }
        throw error;
      }
    });
}

/** Number of identical, unexplained 500s that make the failure of a write look permanent (`repeated`). */
const sameFailures = 3;

/**
 * Wraps `sendOnce` in retries. `denied` contains the permissions whose denial a second attempt has confirmed.
 */
const sendingAgain =
  (sendOnce: Sender['send'], retry: RetryOptions, denied: Set<string>): Sender['send'] =>
  (type, call) => {
    const mayBeLoading = denied.size === 0 || !denied.has(permissionOf(type, call));
    let denials = 0;
    const failures: KubeError[] = [];
    // False in an etcd outage, which causes the same 500s as an object that is too large.
    const canRead = (): Promise<boolean> =>
      sendOnce(type, readOf(type, call)).then(() => true, isNotFound);
    const attempt = () =>
      sendOnce(type, call).catch(async (error: unknown) => {
        // The first denial may only mean that RBAC is not loaded yet.
        if (isDenied(error) && ++denials === 2) denied.add(permissionOf(type, call));
        const isRefused = error instanceof KubeError;
        if (call.method !== 'GET' && isRefused && error.code >= 500) {
          failures.push(error);
          const same = failures.filter(({ message }) => message === error.message);
          const isSame = same.length === sameFailures && isUnexplained(error);
          error.repeated = isSame && call.method !== 'POST' && (await canRead());
        }
        // If no other attempt fits in before the deadline, throws the server's last error, which may name a slow
        // webhook, rather than a timeout. The timeout may come before the deadline, because timers may fire early.
        const isLast = Date.now() + (retry.backoffMs ?? 100) >= retry.deadline;
        throw (!isRefused && isLast && failures.at(-1)) || error;
      });
    return retryTransient(attempt, { ...retry, mayBeLoading });
  };

/** Returns the permission that a call needs, such as `PATCH /api/v1/namespaces/shop/services/*`. */
function permissionOf(type: ResourceType, { method, path }: Call): string {
  const { parts, name } = partsOf(type, path);
  return `${method} ${parts.map((part, at) => (at === name ? '*' : part)).join('/')}`;
}

/** Returns a call that reads the metadata of the object that a patch or deletion is for. */
function readOf(type: ResourceType, { path, what }: Call): Call {
  const { parts, name } = partsOf(type, path);
  const object = parts.slice(0, name + 1).join('/');
  return { method: 'GET', path: object, accept: metadataOnly, what: `${what} (reading it)` };
}

/** Splits the path of a call into `parts`. `name` is the index of the object's name in them. */
function partsOf({ plural }: ResourceType, path: string) {
  const [plain = ''] = path.split('?');
  const parts = plain.split('/');
  // Does not search for the plural, because an object or a namespace may have the same name.
  const first = parts[1] === 'api' ? 3 : 4;
  return { parts, name: (parts[first] === plural ? first : first + 2) + 1 };
}

function counted(traffic: Traffic, type: ResourceType): Traffic[string] {
  const resource = groupResource(type);
  traffic[resource] ??= { requests: 0, bytes: 0 };
  return traffic[resource];
}
