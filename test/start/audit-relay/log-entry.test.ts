import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sinkConditions, sinkRefusal } from '../../../infra/generate/audit/sink-filter.ts';
import { logEntryOf } from '../../../infra/start/audit-relay/log-entry.ts';
import { dropReason } from '../../../shared/audit/filter.ts';
import { readAuditEvent } from '../../../shared/audit/record.ts';
import { readLogEntry } from '../../../shared/google/log-entry.ts';
import { auditEvent, kinds } from '../../audit/samples.ts';
import { casesOf } from '../../support/cases.ts';

const cluster = { project: 'demo', location: 'us-central1', cluster: 'main' };
const entryOf = (event: unknown) =>
  logEntryOf(event, { ...cluster, receivedAt: '2026-11-20T20:19:27.000Z' });

describe('logEntryOf', () => {
  it('makes the same entry as GKE', () => {
    expect(entryOf(auditEvent())).toEqual({
      insertId: 'b5b0e5a6-6b67-4c4a-9f0c-0f6d1c3f0a11',
      logName: 'projects/demo/logs/cloudaudit.googleapis.com%2Factivity',
      operation: {
        id: 'b5b0e5a6-6b67-4c4a-9f0c-0f6d1c3f0a11',
        producer: 'k8s.io',
        first: true,
        last: true,
      },
      resource: {
        type: 'k8s_cluster',
        labels: { project_id: 'demo', location: 'us-central1', cluster_name: 'main' },
      },
      labels: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
      timestamp: '2026-11-20T20:19:26.819000Z',
      receiveTimestamp: '2026-11-20T20:19:27.000Z',
      protoPayload: {
        '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
        serviceName: 'k8s.io',
        methodName: 'io.k8s.apps.v1.deployments.patch',
        resourceName: 'apps/v1/namespaces/default/deployments/foo',
        authenticationInfo: { principalEmail: 'jane' },
        authorizationInfo: [
          {
            granted: true,
            permission: 'io.k8s.apps.v1.deployments.patch',
            resource: 'apps/v1/namespaces/default/deployments/foo',
          },
        ],
        requestMetadata: {
          callerIp: '127.0.0.1',
          callerSuppliedUserAgent: 'kubectl/v1.36.3',
        },
        status: {},
      },
    });
  });

  const cases: Record<string, { reason: string; given: object; want: object }> = {
    Read: {
      reason: 'reads go to another log',
      given: { verb: 'list' },
      want: { logName: 'projects/demo/logs/cloudaudit.googleapis.com%2Fdata_access' },
    },
    DryRun: {
      reason: 'a label marks a dry run',
      given: { requestURI: '/x?dryRun=All', annotations: undefined },
      want: { labels: { 'command.gke.io/dryRun': 'All' } },
    },
    NoResource: {
      reason: 'resourceName is the path without its leading slash',
      given: { objectRef: undefined, verb: 'get', requestURI: '/readyz?verbose' },
      want: { protoPayload: { methodName: 'io.k8s.get', resourceName: 'readyz' } },
    },
    Forbidden: {
      reason: '403 becomes PERMISSION_DENIED',
      given: {
        responseStatus: { code: 403, reason: 'Forbidden', message: 'no' },
        annotations: { 'authorization.k8s.io/decision': 'forbid' },
      },
      want: {
        protoPayload: {
          status: { code: 7, message: 'no' },
          authorizationInfo: [{ granted: false }],
        },
      },
    },
    Exists: {
      reason: 'a 409 is mapped by its reason',
      given: { responseStatus: { code: 409, reason: 'AlreadyExists' } },
      want: { protoPayload: { status: { code: 6 } } },
    },
    Conflict: {
      reason: 'any other 409 becomes ABORTED',
      given: { responseStatus: { code: 409, reason: 'Conflict' } },
      want: { protoPayload: { status: { code: 10 } } },
    },
    Teapot: {
      reason: 'any other 4xx is a refusal',
      given: { responseStatus: { code: 418 } },
      want: { protoPayload: { status: { code: 9 } } },
    },
    ServerError: {
      reason: 'any other 5xx is a failure',
      given: { responseStatus: { code: 500 } },
      want: { protoPayload: { status: { code: 13 } } },
    },
  };
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(entryOf(auditEvent({ ...given }))).toMatchObject(want);
  });

  it.each(['RequestReceived', 'ResponseStarted', 'Panic'])(
    'makes no entry at stage %s',
    (stage) => {
      expect(entryOf(auditEvent({ stage }))).toBeUndefined();
    },
  );
});

const own = 'reconciler';
const users = [
  own,
  'jane',
  'system:node:n1',
  'system:kube-controller-manager',
  'system:serviceaccount:kube-system:deployment-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:apps:argo',
];

const anyEvent = fc
  .record({
    verb: fc.constantFrom('get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection'),
    username: fc.constantFrom(...users),
    type: fc.constantFrom(
      { apiGroup: 'example.com', apiVersion: 'v1alpha1', resource: 'foos' },
      { apiGroup: 'my.domain', apiVersion: 'v1beta1', resource: 'websites' },
      { apiGroup: 'apps', apiVersion: 'v1', resource: 'deployments' },
      { apiVersion: 'v1', resource: 'services' },
      { apiVersion: 'v1', resource: 'pods' },
      { apiGroup: 'coordination.k8s.io', apiVersion: 'v1', resource: 'leases' },
      { apiGroup: 'serving.knative.dev', apiVersion: 'v1', resource: 'services' },
    ),
    name: fc.constantFrom(
      {},
      { name: 'x' },
      { name: 'x', subresource: 'status' },
      {
        name: 'x',
        subresource: 'scale',
      },
    ),
    code: fc.constantFrom(200, 201, 403, 409),
    requestURI: fc.constantFrom('/apis', '/apis?dryRun=All'),
  })
  .map(({ verb, username, type, name, code, requestURI }) =>
    auditEvent({
      verb,
      requestURI,
      user: { username },
      objectRef: { ...type, ...name, namespace: 'default' },
      responseStatus: { code },
    }),
  );

describe('an event from Cloud Logging', () => {
  it('carries the same record as from the audit webhook', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(readLogEntry(entryOf(event))).toEqual(readAuditEvent(event));
      }),
    );
  });

  it('is forwarded by the sink exactly if the function keeps it', () => {
    const sink = sinkConditions(kinds, {
      ...cluster,
      ownIdentity: [own],
      namespaces: undefined,
    });
    const options = { ownIdentity: [own], kinds };
    fc.assert(
      fc.property(anyEvent, (event) => {
        const record = readAuditEvent(event);
        const isDropped = 'dropped' in record || dropReason(record, options) !== undefined;
        expect(sinkRefusal(sink, entryOf(event)) !== undefined).toBe(isDropped);
      }),
      { numRuns: 2000 },
    );
  });
});
