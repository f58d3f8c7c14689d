import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ClockOptions, type ClockResponse, startClock } from '../../infra/start/clock.ts';
import { type Received, type Reply, startEndpoint } from './endpoint.ts';

/** Runs a clock against a resync function with the given behaviour; resolves after some resyncs. */
async function runClock(
  reply: (request: Received, call: number) => Reply | undefined,
  { resyncs, ...options }: Partial<ClockOptions> & { readonly resyncs: number },
) {
  const received: Received[] = [];
  const logged: string[] = [];
  const responses: ClockResponse[] = [];
  const endpoint = await startEndpoint((request) => {
    received.push(request);
    return reply(request, received.length);
  });
  const done = Promise.withResolvers<void>();
  const clock = startClock({
    url: endpoint.url,
    intervalSeconds: 0.002,
    deadlineSeconds: 5,
    log: (message) => logged.push(message),
    onResponse(response) {
      if (responses.push(response) === resyncs) done.resolve();
    },
    ...options,
  });
  onTestFinished(() => clock.stop());
  await done.promise;
  return { clock, received, logged, responses };
}

describe('the clock', () => {
  it('posts at once, in the form of Cloud Scheduler', async () => {
    const { received } = await runClock(() => ({ code: 200, text: '{}' }), {
      resyncs: 1,
      intervalSeconds: 3600,
    });
    expect(received).toMatchObject([
      {
        method: 'POST',
        body: '{}',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Google-Cloud-Scheduler',
          'x-cloudscheduler': 'true',
          'x-cloudscheduler-jobname': 'resync',
          'x-cloudscheduler-scheduletime': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      },
    ]);
  });

  it('posts at every interval and passes on the response', async () => {
    const { responses } = await runClock((_, call) => ({ code: 200, text: `{"run":${call}}` }), {
      resyncs: 3,
    });
    expect(responses.slice(0, 3).map(({ code, body, error }) => ({ code, body, error }))).toEqual([
      { code: 200, body: { run: 1 } },
      { code: 200, body: { run: 2 } },
      { code: 200, body: { run: 3 } },
    ]);
  });

  it.each([
    { reply: { code: 500, text: '{"error":"x"}' }, want: { code: 500, error: 'returned 500' } },
    { reply: { code: 302, text: '{}' }, want: { code: 302, error: 'returned 302' } },
    {
      reply: { code: 200, text: 'hello' },
      want: { code: 200, error: 'returned 200, not JSON: hello' },
    },
  ])('reports the unsuccessful response $reply, and continues', async ({ reply, want }) => {
    const { responses, logged } = await runClock(() => reply, { resyncs: 2 });
    expect(responses).toMatchObject([want, want]);
    expect(logged).toContain('resync failed');
  });

  it('aborts an attempt at its deadline, skips the resyncs due meanwhile, and continues', async () => {
    let open = 0;
    const { responses, logged } = await runClock(
      (_, call) => {
        open++;
        return call === 1 ? undefined : { code: 200, text: '{}' };
      },
      { resyncs: 2, deadlineSeconds: 2 },
    );
    expect(responses).toMatchObject([{ error: 'no response within 2 s' }, { code: 200 }]);
    expect(logged).toContain('resync skipped: the previous one is still running');
    expect(open).toBe(2);
  });

  it('continues if nothing listens', async () => {
    const { responses } = await runClock(() => undefined, {
      resyncs: 2,
      url: new URL('http://127.0.0.1:1/'),
    });
    expect(responses).toMatchObject([{ error: expect.any(String) }, { error: expect.any(String) }]);
  });

  it('resyncs in between on request, after the current attempt', async () => {
    const replies: (() => void)[] = [];
    let open = 0;
    let mostOpen = 0;
    const send: typeof fetch = async () => {
      mostOpen = Math.max(mostOpen, ++open);
      await new Promise<void>((resolve) => replies.push(resolve));
      open--;
      return new Response('{}');
    };
    const responses: ClockResponse[] = [];
    const clock = startClock({
      url: new URL('http://127.0.0.1:1/'),
      intervalSeconds: 3600,
      deadlineSeconds: 60,
      log: () => {},
      onResponse: (response) => responses.push(response),
      fetch: send,
    });
    const requested = clock.resyncNow();
    expect(replies).toHaveLength(1);
    replies[0]?.();
    await requested;
    expect({ begun: replies.length, responded: responses.length }).toEqual({
      begun: 2,
      responded: 1,
    });
    replies[1]?.();
    await clock.resyncNow();
    expect({ begun: replies.length, responded: responses.length }).toEqual({
      begun: 3,
      responded: 2,
    });
    replies[2]?.();
    await clock.stop();
    await clock.resyncNow();
    expect({ begun: replies.length, mostOpen }).toEqual({ begun: 3, mostOpen: 1 });
  });

  it('states when the next scheduled resync is due, despite resyncs in between', async () => {
    const next: number[] = [];
    const began = Date.now();
    const { clock } = await runClock(() => ({ code: 200, text: '{}' }), {
      resyncs: 1,
      intervalSeconds: 3600,
      onResync: (at) => next.push(at),
    });
    const [first = 0] = next;
    expect(first).toBeGreaterThanOrEqual(began + 3_600_000);
    await vi.waitUntil(() => Date.now() > first - 3_600_000);
    await clock.resyncNow();
    expect(next).toEqual([first, first]);
  });

  it('posts nothing after stop, and does not report an aborted attempt', async () => {
    const begun = Promise.withResolvers<void>();
    const endpoint = await startEndpoint(() => {
      begun.resolve();
      return undefined;
    });
    const responses: ClockResponse[] = [];
    const clock = startClock({
      url: endpoint.url,
      intervalSeconds: 0.002,
      deadlineSeconds: 60,
      log: () => {},
      onResponse: (response) => responses.push(response),
    });
    await begun.promise;
    await clock.stop();
    expect(responses).toEqual([]);
  });
});
