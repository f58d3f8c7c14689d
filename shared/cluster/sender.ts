import pLimit from 'p-limit';
import { groupResource, type KubeObject, type ResourceType } from '../kubernetes.ts';
import type { Traffic } from './cluster.ts';
import type { Call, Connection } from './connection.ts';
import { DeadlineError, KubeError, UnreachableError } from './errors.ts';
import { retryTransient } from './retry.ts';
import { within } from './time-limit.ts';

export interface RunLimits {
  /** Requests in flight at once; halved whenever the server answers 429. */
  readonly concurrency: number;
  /** Milliseconds since the epoch; no request is begun after it, and none waited for. */
  readonly deadline: number;
  /** Before the second try of a request, doubled before each further one; default 100. */
  readonly backoffMs?: number;
}

export interface Sender {
  readonly send: <T = KubeObject>(type: ResourceType, call: Call) => Promise<T>;
  readonly traffic: Traffic;
}

/** Sends the requests of one run: bounded, counted, and again where a failure may pass by itself. */
export function openSender(connection: Connection, limits: RunLimits): Sender {
  const { concurrency, deadline, backoffMs } = limits;
  const limit = pLimit(concurrency);
  const traffic: Traffic = {};

  const once = async <T>(type: ResourceType, call: Call): Promise<T> => {
    if (Date.now() > deadline)
      throw new DeadlineError(`cannot ${call.what}: the run's time is over`);
    const resource = groupResource(type);
    const counted = traffic[resource] ?? { requests: 0, bytes: 0 };
    traffic[resource] = counted;
    counted.requests++;
    const answer = await within(
      // One more, for a timer may be a little early, and the time of the run has to be over then.
      deadline - Date.now() + 1,
      (signal) => connection.send(call, signal),
      () => new UnreachableError(`cannot ${call.what}: no answer before the run's time was over`),
    );
    counted.bytes += answer.bytes;
    return answer.value as T;
  };
  const slowDown = (error: unknown): void => {
    if (error instanceof KubeError && error.code === 429) {
      limit.concurrency = Math.max(1, limit.concurrency >> 1);
    }
  };
  return {
    traffic,
    send: <T>(type: ResourceType, call: Call) =>
      retryTransient(() => limit(() => once<T>(type, call)), {
        deadline,
        backoffMs,
        onFailure: slowDown,
      }),
  };
}
