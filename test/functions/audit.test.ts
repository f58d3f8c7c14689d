import { http } from '@google-cloud/functions-framework';
import { describe, expect, it } from 'vitest';
import { bodyOf, createResponder } from '../../functions/response.ts';
import { deliverToClusters } from '../../shared/controller/clusters.ts';
import { auditFormat as format } from '../../shared/google/log-entry.ts';
import { auditEvent, eventList, logEntry } from '../audit/samples.ts';
import { type ApiReply, metadata, startApiEndpoint, status } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { owner } from '../support/decisions.ts';
import { startFunction } from '../support/function-endpoint.ts';
import { deliverBody, reconcilerAgainst } from '../support/reconciler.ts';
import { foo } from '../support/resources.ts';

const given: ReturnType<typeof reconcilerAgainst>[] = [];
const current = () => {
  const last = given.at(-1);
  if (last === undefined) throw new Error('no runs were given');
  return last;
};
http('audit', (request, response) =>
  createResponder(current().reconciler.log)(response, async () =>
    deliverToClusters([current().reconciler], bodyOf(request), {
      headers: request.headers,
      format,
      cluster: undefined,
    }),
  ),
);

const deployment = '/apis/apps/v1/namespaces/default/deployments/foo-sample';
const request = { kind: 'foos.example.com', namespace: 'default', name: 'foo-sample' };

/** Serves the sample Foo and its Deployment, by name and in lists. */
function sample(path: string): ApiReply {
  if (path === deployment) return { body: { metadata: fooDeployment().metadata } };
  if (path.endsWith('/deployments')) return { body: { metadata: {}, items: [fooDeployment()] } };
  if (path.endsWith('/foos')) return { body: { metadata: {}, items: [foo()] } };
  return { body: { metadata: {}, items: [] } };
}

async function openFunction(
  reply: (path: string) => ApiReply = sample,
  env: Readonly<Record<string, string>> = {},
) {
  const api = await startApiEndpoint(({ path }) => reply(path));
  given.push(reconcilerAgainst(api.url, { OWN_IDENTITY: 'reconciler@local', ...env }));
  return { api, send: await startFunction('audit') };
}

const objectRef = (name: string) => ({
  resource: 'deployments',
  namespace: 'default',
  name,
  apiGroup: 'apps',
  apiVersion: 'v1',
});
const push = (value: unknown) => ({
  message: {
    data: Buffer.from(JSON.stringify(value)).toString('base64'),
    messageId: '7',
    attributes: {},
  },
  subscription: 's',
});

interface Case {
  readonly reason: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly want: { readonly reconcileRequests: readonly unknown[]; readonly dropped: object };
}

const deliveries: Record<string, Case> = {
  Webhook: {
    reason: 'the edit of a child leads to its owner',
    body: eventList(auditEvent({ objectRef: objectRef('foo-sample') })),
    want: { reconcileRequests: [request], dropped: {} },
  },
  Batch: {
    reason: 'several entries about one child cause one read',
    body: eventList(
      auditEvent({ objectRef: objectRef('foo-sample') }),
      auditEvent({ objectRef: objectRef('foo-sample') }),
      auditEvent({ user: { username: 'reconciler@local' } }),
      auditEvent({ verb: 'get' }),
    ),
    want: { reconcileRequests: [request], dropped: { 'own write': 1, 'not a write': 1 } },
  },
  PubSub: {
    reason: 'the log sink sends an entry about a Foo itself',
    body: push(
      logEntry({
        method: 'com.example.v1alpha1.foos.patch',
        resource: 'example.com/v1alpha1/namespaces/default/foos/foo-sample',
      }),
    ),
    want: { reconcileRequests: [request], dropped: {} },
  },
  RequestMessage: {
    reason: 'the fan-out sends a request message',
    body: { version: 1, request },
    want: { reconcileRequests: [request], dropped: {} },
  },
  RequestElsewhere: {
    reason: 'the kind is not reconciled here',
    body: { version: 1, request: { kind: 'bars' } },
    want: { reconcileRequests: [], dropped: { 'outside KINDS and NAMESPACES': 1 } },
  },
};

describe('the audit function', () => {
  it.each(casesOf(deliveries))('%s', async (_, { body, headers = {}, want }) => {
    const { send } = await openFunction();
    const response = await send({ body, headers });
    expect(response).toMatchObject({ code: 200, body: want });
    expect('report' in (response.body as object)).toBe(want.reconcileRequests.length > 0);
  });

  it('acknowledges an unknown body, and logs it once', async () => {
    const { api, send } = await openFunction();
    const { code, body } = await send({ body: { hello: 'world' } });
    expect(code).toBe(200);
    expect(body).toMatchObject({ reconcileRequests: [] });
    expect(Object.values((body as { dropped: Record<string, number> }).dropped)).toEqual([1]);
    expect(api.requests).toEqual([]);
    expect(current().logged.map(({ severity, message }) => [severity, message])).toEqual([
      ['WARNING', 'delivery not understood'],
      ['DEBUG', 'nothing to reconcile'],
    ]);
  });

  it('logs the age of the oldest relevant entry', async () => {
    const { send } = await openFunction();
    const at = (seconds: number, more = {}) =>
      auditEvent({
        objectRef: objectRef('foo-sample'),
        requestReceivedTimestamp: new Date(Date.now() - seconds * 1000).toISOString(),
        ...more,
      });
    const ageOf = async (...events: readonly object[]) => {
      await send({ body: eventList(...events) });
      return current().logged.findLast(({ message }) => message === 'resynced')?.eventAgeMs;
    };
    const age = await ageOf(at(5), at(30), at(90, { verb: 'get' }), at(1));
    expect(Number(age)).toBeGreaterThanOrEqual(30_000);
    expect(Number(age)).toBeLessThan(60_000);
    expect(await ageOf(at(-50))).toBe(0);
    expect(await ageOf(at(5, { requestReceivedTimestamp: 'yesterday' }))).toBeUndefined();
    await send({ body: { version: 1, request } });
    expect(current().logged.at(-1)).not.toHaveProperty('eventAgeMs');
  });

  it('refuses an empty body', async () => {
    const { send } = await openFunction();
    expect((await send()).code).toBe(400);
  });

  it('F-9 reads nothing for a Deployment that no kind controls or desires', async () => {
    const there = { body: { metadata: metadata('x') } };
    const { send } = await openFunction((path) => (path.endsWith('/x') ? there : sample(path)));
    const { code, body } = await send({
      body: eventList(auditEvent({ objectRef: objectRef('x') })),
    });
    expect({ code, body }).toEqual({ code: 200, body: { reconcileRequests: [], dropped: {} } });
  });

  const taken = fooDeployment({ metadata: { ownerReferences: [] } });
  const byAnother = { ...taken.metadata, ownerReferences: [{ ...owner(foo()), name: 'other' }] };
  it.each([
    ['patch', 'disowned', taken.metadata],
    ['create', 'created by another writer', { ...taken.metadata, labels: {} }],
    ['delete', 'replaced by a child of another resource', byAnother],
  ])(
    'C-6 after a %s causes a run for the resource whose desired child was %s',
    async (verb, _, metadata) => {
      const { send } = await openFunction((path) =>
        path === deployment ? { body: { metadata } } : sample(path),
      );
      const { body } = await send({
        body: eventList(auditEvent({ verb, objectRef: objectRef('foo-sample') })),
      });
      expect((body as { reconcileRequests: unknown }).reconcileRequests).toContainEqual(request);
    },
  );

  it('C-4 causes a run for the resource that desires a deleted child', async () => {
    const { send } = await openFunction((path) =>
      path === deployment ? status(404, 'NotFound') : sample(path),
    );
    const { body } = await send({
      body: eventList(auditEvent({ verb: 'delete', objectRef: objectRef('foo-sample') })),
    });
    expect(body).toMatchObject({ reconcileRequests: [request] });
  });

  const other = deployment.replace('foo-sample', 'other');
  const unread: Record<string, { reason: string; reply: ApiReply; want: object }> = {
    Forbidden: {
      reason: 'a permanent failure is acknowledged and logged',
      reply: status(403, 'Forbidden'),
      want: {
        code: 200,
        body: { reconcileRequests: [request], dropped: { 'owner not readable': 1 } },
      },
    },
    Broken: {
      reason: 'a transient failure is worth a redelivery',
      reply: status(500, 'InternalError'),
      want: { code: 503 },
    },
  };
  it.each(casesOf(unread))(
    'C-10 processes the rest of a batch if one owner cannot be read: %s',
    async (_, { reply, want }) => {
      const { send } = await openFunction((path) => (path === other ? reply : sample(path)));
      const response = await send({
        body: eventList(
          auditEvent({ objectRef: objectRef('other') }),
          auditEvent({ objectRef: objectRef('foo-sample') }),
        ),
      });
      expect(response).toMatchObject(want);
      const lines = current().logged.filter(({ message }) => message === 'owner not readable');
      expect(lines).toHaveLength(1);
      const [run] = current().logged.filter(({ message }) => message === 'resynced');
      expect(run).toMatchObject({ reconcileRequests: [request], resources: { total: 1 } });
    },
  );

  const kinds: Record<string, { reason: string; reply: ApiReply; code: number }> = {
    NotServed: {
      reason: 'resyncs report a missing CRD, and no redelivery helps',
      reply: status(404, 'NotFound'),
      code: 200,
    },
    Broken: {
      reason: 'a transient failure is worth a redelivery',
      reply: status(500, 'InternalError'),
      code: 503,
    },
  };
  it.each(casesOf(kinds))(
    'C-10 asks for redelivery only if that may help: %s',
    async (_, { reply, code }) => {
      const { send } = await openFunction((path) =>
        path.endsWith('/foos') ? reply : sample(path),
      );
      const response = await send({ body: { version: 1, request: { kind: 'foos' } } });
      expect(response.code).toBe(code);
    },
  );

  const mixed: Record<string, { reason: string; flaky: string; denied: string }> = {
    First: { reason: 'the transient failure comes first', flaky: 'a', denied: 'b' },
    Last: { reason: 'the transient failure comes last', flaky: 'b', denied: 'a' },
  };
  it.each(casesOf(mixed))(
    'C-10 asks for redelivery if only one of two failures is transient: %s',
    async (_, { flaky, denied }) => {
      const replies = new Map([
        [flaky, status(503, 'ServiceUnavailable')],
        [denied, status(403, 'Forbidden')],
      ]);
      const { send } = await openFunction((path) => {
        const namespace = /namespaces\/(\w+)\/foos$/.exec(path)?.[1];
        return replies.get(namespace ?? '') ?? sample(path);
      });
      const edited = (namespace: string) =>
        auditEvent({
          objectRef: {
            resource: 'foos',
            namespace,
            name: 'x',
            apiGroup: 'example.com',
            apiVersion: 'v1alpha1',
          },
        });
      const response = await send({ body: eventList(edited('a'), edited('b')) });
      expect(response.code).toBe(503);
    },
  );

  it('C-10 asks for redelivery after a refused token', async () => {
    const { send } = await openFunction(() => status(401, 'Unauthorized'));
    const { code } = await send({ body: { version: 1, request: { kind: 'foos' } } });
    expect(code).toBe(503);
  });

  it('C-10 asks for redelivery if the deadline passed', async () => {
    const lost = (path: string): ApiReply =>
      path.endsWith('/deployments') ? { body: { metadata: {}, items: [] } } : sample(path);
    const { api } = await openFunction(lost);
    const { reconciler } = reconcilerAgainst(api.url);
    const late = {
      ...reconciler,
      async begin() {
        const run = await reconciler.begin('resync');
        return { ...run, limits: { ...run.limits, deadline: 0 } };
      },
    };
    await expect(deliverBody(late, { version: 1, request: {} })).rejects.toThrow(
      '1 resource was not reconciled before the deadline',
    );
  });

  it('reads nothing for a namespace outside NAMESPACES', async () => {
    const { api, send } = await openFunction(sample, { NAMESPACES: 'team-a' });
    const response = await send({
      body: eventList(auditEvent({ objectRef: objectRef('foo-sample') })),
    });
    const body = { reconcileRequests: [], dropped: { 'another namespace': 1 } };
    expect(response).toMatchObject({ code: 200, body });
    expect(api.requests).toEqual([]);
    expect(current().logged).toMatchObject([
      { severity: 'DEBUG', message: 'nothing to reconcile', dropped: { 'another namespace': 1 } },
    ]);
  });
});
