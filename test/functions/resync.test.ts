import { http } from '@google-cloud/functions-framework';
import { describe, expect, it } from 'vitest';
import { createResponder, jsonBodyOf } from '../../functions/response.ts';
import { CredentialsError } from '../../shared/cluster/cluster-errors.ts';
import { resyncClusters } from '../../shared/controller/clusters.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';
import type { Report } from '../../shared/resync/report.ts';
import { type ApiReply, startApiEndpoint, status } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment, websiteDeployment, websiteService } from '../support/children.ts';
import { kinds } from '../support/config.ts';
import { startFunction } from '../support/function-endpoint.ts';
import { childTypes } from '../support/observe.ts';
import { reconcilerAgainst } from '../support/reconciler.ts';
import { foo, website } from '../support/resources.ts';
import { withRecords } from '../support/worlds.ts';

const names = kinds.map(({ kind }) => kind).join(', ');

/** Reconcilers that each test adds; the function under test uses the last. */
const given: ReturnType<typeof reconcilerAgainst>[] = [];
const current = () => {
  const last = given.at(-1);
  if (last === undefined) throw new Error('no runs were given');
  return last;
};
http('resync', (request, response) =>
  createResponder(current().reconciler.log)(response, async () =>
    resyncClusters([current().reconciler], jsonBodyOf(request)),
  ),
);

const groupVersionPath = ({ group, version }: ResourceType): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** Lists that the server returns; other lists are empty. */
const lists: Record<string, readonly object[]> = {
  '/apis/apps/v1/deployments': [websiteDeployment(), fooDeployment()],
  '/api/v1/services': [websiteService()],
  '/apis/kubecon.my.domain/v1beta1/websites': [
    withRecords(website(), websiteDeployment(), websiteService()),
  ],
  '/apis/example.com/v1alpha1/foos': [withRecords(foo(), fooDeployment())],
};
const list = (path: string): ApiReply => ({ body: { metadata: {}, items: lists[path] ?? [] } });

async function openFunction(
  reply: (path: string) => ApiReply = list,
  env: Readonly<Record<string, string>> = {},
) {
  const api = await startApiEndpoint(({ path }) => reply(path));
  given.push(reconcilerAgainst(api.url, env));
  return { api, send: await startFunction('resync') };
}

describe('the resync function', () => {
  it('C-2 reads one list of each type and writes nothing without drift', async () => {
    const { api, send } = await openFunction();
    const { code, body } = await send();
    expect(code).toBe(200);
    expect(body).toMatchObject({
      resources: { total: 2, unchanged: 2, reconciled: 0 },
      outcomes: { created: 0, updated: 0, deleted: 0, skipped: 0, failed: 0, blocked: 0 },
      statusWrites: 0,
      pruning: 'allowed',
      failures: [],
      incomplete: [],
      undone: [],
    });
    expect(api.requests.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      [...kinds, ...childTypes]
        .map((type) => `GET ${groupVersionPath(type)}/${type.plural}`)
        .toSorted(),
    );
    expect(current().logged.map(({ severity, message }) => [severity, message])).toEqual([
      ['INFO', 'resynced'],
    ]);
  });

  it.each(['GET', 'HEAD'])(
    'handles the probe %s without a request or credentials',
    async (method) => {
      const { api, send } = await openFunction();
      const begin = async (): Promise<never> => {
        throw new CredentialsError('no token');
      };
      given.push({ reconciler: { ...current().reconciler, begin }, logged: current().logged });
      expect((await send({ method })).code).toBe(200);
      given.pop();
      expect({ requests: api.requests, logged: current().logged }).toEqual({
        requests: [],
        logged: [],
      });
    },
  );

  it('reads only what is requested', async () => {
    const { api, send } = await openFunction((path) =>
      list(path.replace('/namespaces/default', '')),
    );
    const { code } = await send({
      body: { kind: 'foos', namespace: 'default', name: 'foo-sample' },
    });
    expect(code).toBe(200);
    expect(
      api.requests.map(({ path, query }) => [path, query.labelSelector ?? query.fieldSelector]),
    ).toEqual([
      [
        '/apis/apps/v1/namespaces/default/deployments',
        'app.kubernetes.io/managed-by=serverless-reconciler,app.kubernetes.io/part-of=foo,app.kubernetes.io/instance=foo-sample',
      ],
      ['/apis/example.com/v1alpha1/namespaces/default/foos', 'metadata.name=foo-sample'],
    ]);
  });

  const refusals: Record<string, { reason: string; body: unknown; env?: object; want: string }> = {
    Typo: {
      reason: 'a typing error must not broaden the request',
      body: { namspace: 'a' },
      want: 'unknown field "namspace": a reconcile request has kind, namespace and name',
    },
    UnknownKind: {
      reason: 'the kind is not reconciled',
      body: { kind: 'Bar' },
      want: `the request selects nothing: this function reconciles ${names}`,
    },
    OtherNamespace: {
      reason: 'the namespace is not in NAMESPACES',
      body: { namespace: 'b' },
      env: { NAMESPACES: 'a,c' },
      want: `the request selects nothing: this function reconciles ${names} in a, c`,
    },
  };
  it.each(casesOf(refusals))('refuses %s', async (_, { body, env, want }) => {
    const { api, send } = await openFunction(list, { ...env });
    expect(await send({ body })).toMatchObject({ code: 400, body: { error: want } });
    expect(api.requests).toEqual([]);
  });

  it('C-11 returns 200 if one kind cannot be listed, and names it', async () => {
    const { send } = await openFunction((path) =>
      path.includes('/websites') ? status(403, 'Forbidden') : list(path),
    );
    const { code, body } = await send();
    expect(code).toBe(200);
    expect(body).toMatchObject({
      resources: { total: 1 },
      pruning: 'allowed',
      incomplete: [
        {
          kind: 'websites.kubecon.my.domain',
          error:
            'cannot list websites.kubecon.my.domain: Forbidden: it is Forbidden: grant the permissions that `reconciler generate rbac` prints',
        },
      ],
    });
  });

  it.each([
    ['incomplete', 403, 'children not listed', 'ERROR'],
    ['notServed', 404, 'type not served', 'INFO'],
  ] as const)(
    'names a type of children in %s, and logs it once',
    async (field, code, line, severity) => {
      const { send } = await openFunction((path) =>
        path.includes('/services')
          ? status(code, code === 403 ? 'Forbidden' : 'NotFound')
          : list(path),
      );
      const { code: returned, body } = await send();
      expect(returned).toBe(200);
      const none = { incomplete: [], notServed: [] };
      expect(body).toMatchObject({ ...none, [field]: [{ kind: 'services', ofChildren: true }] });
      expect(current().logged.filter(({ message }) => message === line)).toMatchObject([
        { severity, type: 'services' },
      ]);
    },
  );

  it('names the remedy if a CRD is not installed', async () => {
    const { send } = await openFunction((path) =>
      path.includes('/foos') ? { code: 404, body: '404 page not found\n' } : list(path),
    );
    const { body } = await send();
    expect(body).toMatchObject({
      incomplete: [
        {
          kind: 'foos.example.com',
          error:
            'foos.example.com v1alpha1 is not served: install the CRD that `reconciler generate crds` prints, or omit the kind from KINDS',
        },
      ],
    });
  });

  it('C-10 returns 503 if no kind could be listed', async () => {
    const { send } = await openFunction(() => status(403, 'Forbidden'));
    const { code, body } = await send();
    expect(code).toBe(503);
    expect(JSON.stringify(body)).toContain('Forbidden');
  });

  it('C-10 returns 503 only if no namespace could be listed', async () => {
    const responseWithout = async (refused: RegExp) => {
      const response = (path: string) =>
        refused.test(path) ? status(403, 'Forbidden') : { body: { metadata: {}, items: [] } };
      const { send } = await openFunction(response, { KINDS: 'Foo', NAMESPACES: 'a,b' });
      return send();
    };
    const { code, body } = await responseWithout(/namespaces\/b\//);
    expect(code).toBe(200);
    expect(body).toMatchObject({ incomplete: [{ kind: 'foos.example.com', namespace: 'b' }] });
    expect((await responseWithout(/namespaces/)).code).toBe(503);
  });

  it('C-10 returns 503 while there are no credentials, and tries again with the next request', async () => {
    const { send } = await openFunction();
    const { reconciler } = current();
    const begin = async (): Promise<never> => {
      throw new CredentialsError('no token');
    };
    given.push({ reconciler: { ...reconciler, begin }, logged: [] });
    expect(await send()).toMatchObject({ code: 503, body: { error: 'no token' } });
    given.pop();
    expect((await send()).code).toBe(200);
  });

  it('with DRY_RUN reads, reports what it would write, and writes nothing', async () => {
    const { api, send } = await openFunction(
      (path) =>
        path.endsWith('/deployments') ? { body: { metadata: {}, items: [] } } : list(path),
      { DRY_RUN: 'true' },
    );
    const { body } = await send();
    expect(body).toMatchObject({
      undone: [
        'websites.kubecon.my.domain default/website-sample',
        'foos.example.com default/foo-sample',
      ],
    });
    expect(api.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('with DRY_RUN lists the first 200 resources that it would write, and counts the others', async () => {
    const items = Array.from({ length: 203 }, (_, at) =>
      website({ metadata: { ...website({}).metadata, name: `w-${at}`, uid: `uid-${at}` } }),
    );
    const { send } = await openFunction(
      (path) => ({ body: { metadata: {}, items: path.endsWith('/websites') ? items : [] } }),
      { DRY_RUN: 'true' },
    );
    const { body } = await send();
    const { undone, moreUndone } = body as Report;
    expect(undone).toHaveLength(200);
    expect(moreUndone).toBe(3);
  });

  it('with DRY_RUN logs changes that only the code of a kind makes, with the number of resources', async () => {
    // The Website is Ready without the children of this version.
    const bare = website({ status: { children: [] } });
    const { send } = await openFunction(
      (path) => {
        if (path.endsWith('/websites')) return { body: { metadata: {}, items: [bare] } };
        return path.endsWith('/website-sample')
          ? status(404, 'NotFound')
          : { body: { metadata: {}, items: [] } };
      },
      { DRY_RUN: 'true' },
    );
    const { body } = await send();
    expect(body).toMatchObject({ codeChanges: { resources: 1, children: 2, unplanned: 0 } });
    const { logged } = current();
    const key = 'websites.kubecon.my.domain default/website-sample';
    expect(logged.filter(({ message }) => message === 'changed by code')).toMatchObject([
      { key, verb: 'create', child: 'Deployment default/website-sample' },
      { key, verb: 'create', child: 'Service default/website-sample' },
    ]);
    expect(logged.find(({ message }) => message === 'resynced')).toMatchObject({
      changedByCode: 1,
    });
  });
});
