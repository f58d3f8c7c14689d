import { present } from '../../shared/json.ts';
import { type PostResult, post } from './audit-relay/post.ts';

export interface ClockOptions {
  readonly url: URL;
  readonly intervalSeconds: number;
  /** The time limit of one attempt. */
  readonly deadlineSeconds: number;
  /** Called at every tick with the time of the next one that is due, in milliseconds since the epoch. */
  readonly onTick?: (next: number) => void;
  /** Called after every attempt. */
  readonly onAnswer?: (tick: Tick) => void;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly fetch?: typeof fetch;
}

/** One attempt: the JSON that the resync function answered, and the error unless all is well. */
export interface Tick {
  readonly scheduleTime: string;
  readonly code?: number;
  readonly body?: unknown;
  readonly error?: string;
}

export interface Clock {
  /** A tick between two that are due: at once, or after the attempt under way. */
  tickNow(): Promise<void>;
  /** Ends the clock and the attempt under way. */
  stop(): Promise<void>;
}

/**
 * Posts to the resync function as Cloud Scheduler does: at once, then at every interval.
 * Guarantees: attempts never overlap; a tick due while one is running is skipped, and a failed
 * attempt is not repeated before the next tick.
 */
export function startClock(options: ClockOptions): Clock {
  const { url, intervalSeconds, deadlineSeconds, log } = options;
  const stopped = new AbortController();
  let attempt: Promise<void> | undefined;
  let next = 0;

  async function run(scheduleTime: string): Promise<void> {
    const answer = await post(url, {
      headers: headersAt(scheduleTime),
      body: '{}',
      deadlineSeconds,
      signal: stopped.signal,
      ...present({ fetch: options.fetch }),
    });
    attempt = undefined;
    if (stopped.signal.aborted) return;
    const tick = { scheduleTime, ...readAnswer(answer) };
    if (tick.error !== undefined) log('tick failed', tick);
    options.onAnswer?.(tick);
  }

  function tick(): void {
    const scheduleTime = new Date().toISOString();
    options.onTick?.(next);
    if (attempt === undefined) attempt = run(scheduleTime);
    else log('tick skipped, the previous one is still running', { scheduleTime });
  }

  function dueTick(): void {
    next = Date.now() + intervalSeconds * 1000;
    tick();
  }

  const timer = setInterval(dueTick, intervalSeconds * 1000);
  dueTick();
  return {
    async tickNow() {
      while (attempt !== undefined) await attempt;
      if (!stopped.signal.aborted) tick();
    },
    async stop() {
      clearInterval(timer);
      stopped.abort();
      await attempt;
    },
  };
}

/** The headers that Cloud Scheduler sends. */
const headersAt = (scheduleTime: string) => ({
  'content-type': 'application/json',
  'user-agent': 'Google-Cloud-Scheduler',
  'x-cloudscheduler': 'true',
  'x-cloudscheduler-jobname': 'resync',
  'x-cloudscheduler-scheduletime': scheduleTime,
});

function readAnswer(answer: PostResult): Omit<Tick, 'scheduleTime'> {
  if (answer.code === undefined) return answer;
  const { code, text } = answer;
  const failure = code >= 200 && code < 300 ? {} : { error: `answered ${code}` };
  try {
    return { code, body: JSON.parse(text), ...failure };
  } catch {
    return { code, error: `answered ${code}, not JSON: ${text.slice(0, 200)}` };
  }
}
