import { Buffer } from 'node:buffer';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeadLetter } from '../../../infra/start/audit-relay/push-subscription.ts';
import { type AuditRelayOptions, startAuditRelay } from '../../../infra/start/audit-relay/relay.ts';
import { readDelivery } from '../../../shared/audit/delivery.ts';
import { auditFormat as format } from '../../../shared/google/log-entry.ts';
import { auditEvent, eventList, kinds } from '../../audit/samples.ts';
import { type Received, type Reply, startEndpoint } from '../endpoint.ts';

async function startWorld(
  reply: (request: Received, call: number) => Reply | undefined,
  options: Partial<AuditRelayOptions> = {},
) {
  const received: Received[] = [];
  const dead: DeadLetter[] = [];
  const endpoint = await startEndpoint((request) => {
    received.push(request);
    return reply(request, received.length);
  });
  const relay = await startAuditRelay({
    push: endpoint.url,
    kinds,
    ownIdentity: ['reconciler'],
    onDeadLetter: (letter) => dead.push(letter),
    log: () => {},
    ...options,
    delivery: { backoff: { firstMs: 1, longestMs: 4 }, ...options.delivery },
  });
  onTestFinished(() => relay.stop());
  return { relay, received, dead, endpoint };
}

const accept = (): Reply => ({ code: 204 });
const named = (name: string) =>
  auditEvent({
    objectRef: {
      apiGroup: 'apps',
      apiVersion: 'v1',
      resource: 'deployments',
      namespace: 'a',
      name,
    },
  });
const namesIn = (received: readonly Received[]) =>
  received
    .flatMap(({ body }) => readDelivery(body, { format }).records)
    .map(({ name }) => name)
    .sort();

describe('the audit relay', () => {
  it('pushes an entry as Pub/Sub does, and the function understands it', async () => {
    const { relay, received } = await startWorld(accept);
    relay.accept([named('foo')]);
    await relay.idle();
    expect(received).toHaveLength(1);
    const [{ method, headers, body } = expect.fail('nothing received')] = received;
    expect({ method, type: headers['content-type'] }).toEqual({
      method: 'POST',
      type: 'application/json',
    });
    const push = JSON.parse(body);
    expect(push).toEqual({
      message: {
        data: expect.any(String),
        attributes: { 'logging.googleapis.com/timestamp': expect.any(String) },
        messageId: '1',
        message_id: '1',
        publishTime: expect.any(String),
        publish_time: push.message.publishTime,
      },
      subscription: 'projects/local/subscriptions/audit',
      deliveryAttempt: 1,
    });
    const entry = JSON.parse(Buffer.from(push.message.data, 'base64').toString());
    expect(entry.protoPayload.resourceName).toBe('apps/v1/namespaces/a/deployments/foo');
    expect(namesIn(received)).toEqual(['foo']);
  });

  it('accepts batches of a kube-apiserver over HTTP', async () => {
    const { relay, received } = await startWorld(accept);
    const response = await fetch(relay.url, {
      method: 'POST',
      body: JSON.stringify(eventList(named('foo'), named('bar'))),
    });
    await relay.idle();
    expect(response.status).toBe(200);
    expect(namesIn(received)).toEqual(['bar', 'foo']);
  });

  it.each([
    { reason: 'only POST is allowed', init: {}, want: 405 },
    { reason: 'the body is not JSON', init: { method: 'POST', body: 'junk' }, want: 400 },
    { reason: 'the body is not an EventList', init: { method: 'POST', body: '{}' }, want: 400 },
    {
      reason: 'the body is larger than any batch',
      init: { method: 'POST', body: Buffer.alloc(33 * 1024 * 1024) },
      want: 413,
    },
  ])('refuses anything but an audit batch: $reason', async ({ init, want }) => {
    const { relay } = await startWorld(accept);
    expect((await fetch(relay.url, init)).status).toBe(want);
  });

  it('drops and counts entries that the sink excludes', async () => {
    const { relay, received } = await startWorld(accept);
    relay.accept([
      named('foo'),
      auditEvent({ stage: 'RequestReceived' }),
      auditEvent({ verb: 'get' }),
      auditEvent({ user: { username: 'reconciler' } }),
      auditEvent({ responseStatus: { code: 409, reason: 'Conflict', message: 'modified' } }),
      null,
    ]);
    await relay.idle();
    expect(namesIn(received)).toEqual(['foo']);
    expect(relay.stats()).toEqual({
      received: 6,
      excluded: { filter: 1, 'own-writes': 1, failed: 1 },
      delivered: 1,
      refused: 0,
      deadLetters: 0,
      backlog: 0,
    });
  });

  it('drops entries of other namespaces if NAMESPACES is set', async () => {
    const { relay, received } = await startWorld(accept, { namespaces: ['b'] });
    relay.accept([named('foo')]);
    await relay.idle();
    expect(received).toEqual([]);
    expect(relay.stats()).toMatchObject({ excluded: { filter: 1 } });
  });

  it.each([200, 201, 202, 204])('treats %i as an acknowledgement', async (code) => {
    const { relay, received } = await startWorld(() => ({ code }));
    relay.accept([named('foo')]);
    await relay.idle();
    expect(received).toHaveLength(1);
  });

  it.each([203, 301, 400, 404, 429, 500, 503])('delivers again after %i', async (code) => {
    const { relay, received, dead } = await startWorld((_, call) =>
      call < 3 ? { code, headers: { location: '/elsewhere' } } : { code: 204 },
    );
    relay.accept([named('foo')]);
    await relay.idle();
    expect(received.map(({ body }) => JSON.parse(body).deliveryAttempt)).toEqual([1, 2, 3]);
    expect(new Set(received.map(({ body }) => JSON.parse(body).message.messageId)).size).toBe(1);
    expect(dead).toEqual([]);
    expect(relay.stats()).toMatchObject({ delivered: 1, refused: 2 });
  });

  it('gives up on an entry after five deliveries and continues with the others', async () => {
    const { relay, received, dead } = await startWorld(({ body }) =>
      namesIn([{ headers: {}, body }])[0] === 'bad' ? { code: 500, text: 'broken' } : { code: 204 },
    );
    relay.accept([named('bad'), named('good')]);
    await relay.idle();
    expect(received).toHaveLength(6);
    expect(dead).toEqual([
      {
        message: expect.objectContaining({ messageId: '1' }),
        attempts: 5,
        why: 'returned 500 broken',
      },
    ]);
    expect(relay.stats()).toMatchObject({ delivered: 1, deadLetters: 1, backlog: 0 });
  });

  it('survives an unreachable target', async () => {
    const { relay, dead, endpoint } = await startWorld(accept);
    await endpoint.close();
    relay.accept([named('foo')]);
    await relay.idle();
    expect(dead).toEqual([
      { message: expect.anything(), attempts: 5, why: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('delivers again if the response takes too long', async () => {
    const { relay, received } = await startWorld((_, call) => (call === 1 ? undefined : accept()), {
      delivery: { ackDeadlineSeconds: 0.5 },
    });
    relay.accept([named('foo')]);
    await relay.idle();
    expect(received).toHaveLength(2);
  });

  it('holds deliveries back while paused', async () => {
    const { relay, received, endpoint } = await startWorld(accept);
    relay.pause();
    relay.accept([named('foo')]);
    for (let trip = 0; trip < 5; trip++) await fetch(endpoint.url);
    expect(relay.stats()).toMatchObject({ backlog: 1 });
    const posts = () => received.filter(({ method }) => method === 'POST');
    expect(posts()).toEqual([]);
    relay.resume();
    await relay.idle();
    expect(namesIn(posts())).toEqual(['foo']);
  });

  it('keeps no more messages than its capacity', async () => {
    const { relay, dead } = await startWorld(accept, { delivery: { capacity: 2 } });
    relay.accept([named('a'), named('b'), named('c')]);
    await relay.idle();
    expect(dead).toEqual([{ message: expect.anything(), attempts: 0, why: 'backlog full' }]);
    expect(relay.stats()).toMatchObject({ delivered: 2, deadLetters: 1 });
  });

  it('has no more deliveries in flight than its concurrency', async () => {
    const full = Promise.withResolvers<void>();
    let open = 0;
    const { relay, endpoint } = await startWorld(
      ({ method }) => {
        if (method === 'GET') return { code: 204 };
        if (++open === 2) full.resolve();
        return undefined;
      },
      { delivery: { concurrency: 2 } },
    );
    relay.accept(Array.from({ length: 9 }, (_, at) => named(`n${at}`)));
    await full.promise;
    await fetch(endpoint.url);
    expect(open).toBe(2);
  });

  it('stops with deliveries in flight, waiting or paused', async () => {
    const tried = Promise.withResolvers<void>();
    const { relay, received, dead } = await startWorld(
      () => {
        tried.resolve();
        return { code: 500 };
      },
      { delivery: { backoff: { firstMs: 60_000, longestMs: 60_000 } } },
    );
    relay.accept([named('waiting')]);
    await tried.promise;
    relay.pause();
    relay.accept([named('held back')]);
    await relay.stop();
    expect(namesIn(received)).toEqual(['waiting']);
    expect(dead).toEqual([]);
    expect(relay.stats()).toMatchObject({ backlog: 0 });
  });
});
