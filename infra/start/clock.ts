import { present } from '../../shared/json.ts';
import { type PostResult, post } from './audit-relay/post.ts';

export interface ClockOptions {
  readonly url: URL;
  readonly intervalSeconds: number;
  /** The time limit of an attempt, which is one request to the resync function. */
  readonly deadlineSeconds: number;
  /** Called at every resync with the time of the next scheduled resync, in milliseconds since the epoch. */
  readonly onResync?: (next: number) => void;
  /** Called after every attempt, unless the clock is stopped. */
  readonly onResponse?: (response: ClockResponse) => void;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly fetch?: typeof fetch;
}

export interface ClockResponse {
  readonly scheduleTime: string;
  readonly code?: number;
  readonly body?: unknown;
  readonly error?: string;
}

export interface Clock {
  /** Waits for the current attempt, then starts an additional resync. */
  resyncNow(): Promise<void>;
  /** Aborts the current attempt, and starts no other. */
  stop(): Promise<void>;
}

/**
 * Posts to the resync function as Cloud Scheduler does: at once, and then after each interval.
 *
 * Guarantees: attempts never overlap. A resync that is due while another one runs is skipped. A failed attempt is not
 * repeated before the next resync is due.
 */
export function startClock(options: ClockOptions): Clock {
  const { url, intervalSeconds, deadlineSeconds, log } = options;
  const stopped = new AbortController();
  let attempt: Promise<void> | undefined;
  let next = 0;

  async function run(scheduleTime: string): Promise<void> {
    const response = await post(url, {
      headers: headersAt(scheduleTime),
      body: '{}',
      deadlineSeconds,
      signal: stopped.signal,
      ...present({ fetch: options.fetch }),
    });
    attempt = undefined;
    if (stopped.signal.aborted) return;
    const responded = { scheduleTime, ...readResponse(response) };
    if (responded.error !== undefined) log('resync failed', responded);
    options.onResponse?.(responded);
  }

  function resync(): void {
    const scheduleTime = new Date().toISOString();
    options.onResync?.(next);
    if (attempt === undefined) attempt = run(scheduleTime);
    else log('resync skipped: the previous one is still running', { scheduleTime });
  }

  function dueResync(): void {
    next = Date.now() + intervalSeconds * 1000;
    resync();
  }

  const timer = setInterval(dueResync, intervalSeconds * 1000);
  dueResync();
  return {
    async resyncNow() {
      while (attempt !== undefined) await attempt;
      if (!stopped.signal.aborted) resync();
    },
    async stop() {
      clearInterval(timer);
      stopped.abort();
      await attempt;
    },
  };
}

const headersAt = (scheduleTime: string) => ({
  'content-type': 'application/json',
  'user-agent': 'Google-Cloud-Scheduler',
  'x-cloudscheduler': 'true',
  'x-cloudscheduler-jobname': 'resync',
  'x-cloudscheduler-scheduletime': scheduleTime,
});

function readResponse(response: PostResult): Omit<ClockResponse, 'scheduleTime'> {
  if (response.code === undefined) return response;
  const { code, text } = response;
  const failure = code >= 200 && code < 300 ? {} : { error: `returned ${code}` };
  try {
    return { code, body: JSON.parse(text), ...failure };
  } catch {
    return { code, error: `returned ${code}, not JSON: ${text.slice(0, 200)}` };
  }
}
