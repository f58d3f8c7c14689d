import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { methodNameOf, resourceNameOf } from '../../infra/generate/audit/log-names.ts';
import { sinkConditions, sinkFilter, sinkRefusal } from '../../infra/generate/audit/sink-filter.ts';
import { dropReason, garbageCollector, writeVerbs } from '../../shared/audit/filter.ts';
import { readLogEntry } from '../../shared/google/log-entry.ts';
import { present } from '../../shared/json.ts';
import { kinds, logEntry, samples } from '../audit/samples.ts';
import { effort } from '../properties/runs.ts';
import { casesOf } from '../support/cases.ts';

const own = 'reconciler@demo.iam.gserviceaccount.com';
const conditions = sinkConditions(kinds, {
  project: 'demo',
  location: 'us-central1',
  cluster: 'main',
  ownIdentity: [own],
  namespaces: undefined,
});
const allowed = { 'authorization.k8s.io/decision': 'allow' };
const timeout = 'Timeout: request did not complete within requested timeout';
const writes = '(create|update|patch|delete|deletecollection)$';

describe('sinkFilter', () => {
  it('is written in the Logging query language', () => {
    expect(sinkFilter(conditions).filter.split('\n')).toEqual([
      'log_id("cloudaudit.googleapis.com/activity")',
      'resource.type="k8s_cluster"',
      'resource.labels.project_id="demo"',
      'resource.labels.location="us-central1"',
      'resource.labels.cluster_name="main"',
      'protoPayload.serviceName="k8s.io"',
      String.raw`protoPayload.methodName=~"^(com\.example\.[^.]+\.foos|domain\.my\.[^.]+\.websites|io\.k8s\.apps\.[^.]+\.deployments|io\.k8s\.core\.[^.]+\.services)(\.scale)?\.${writes}"`,
    ]);
  });

  it('does not depend on the order of the kinds', () => {
    const place = { project: 'demo', location: 'us-central1', cluster: 'main' };
    const reversed = sinkConditions(kinds.toReversed(), {
      ...place,
      ownIdentity: [own],
      namespaces: undefined,
    });
    expect(sinkFilter(reversed)).toEqual(sinkFilter(conditions));
  });

  it('has a separate exclusion for each reason', () => {
    const principal = 'protoPayload.authenticationInfo.principalEmail';
    const children = String.raw`^(io\.k8s\.apps\.[^.]+\.deployments|io\.k8s\.core\.[^.]+\.services)(\.scale)?\.${writes}`;
    const system = 'system:serviceaccount:kube-system:';
    expect(
      Object.fromEntries(sinkFilter(conditions).exclusions.map((e) => [e.name, e.filter])),
    ).toEqual({
      'own-writes': `(${principal}="${own}")\nprotoPayload.methodName=~"${children}"`,
      'control-plane': `${principal}=~"^system:(node:|kube-|apiserver|addon-manager|serviceaccount:kube-system:)"\nNOT ${principal}="${system}generic-garbage-collector"\nNOT protoPayload.methodName=~"^io\\.k8s\\.batch\\.[^.]+\\.jobs\\.status\\."`,
      failed: String.raw`protoPayload.status.code>0
NOT (labels."authorization.k8s.io/decision"="allow" AND (protoPayload.methodName=~"\.deletecollection$" OR NOT protoPayload.status.message:* OR protoPayload.status.message=~"request did not complete within requested timeout|^(rpc error: .* )?context (canceled|deadline exceeded)$"))`,
      'dry-run': String.raw`labels."command.gke.io/dryRun":*
NOT protoPayload.methodName=~"\.delete(collection)?$"`,
      leases: String.raw`protoPayload.methodName=~"\.coordination\.v1\.leases\."`,
    });
  });

  it('has no exclusion of our own writes without OWN_IDENTITY', () => {
    const { exclusions } = sinkFilter(
      sinkConditions(kinds, {
        project: 'p',
        location: 'l',
        cluster: 'c',
        ownIdentity: [],
        namespaces: undefined,
      }),
    );
    expect(exclusions.map(({ name }) => name)).not.toContain('own-writes');
  });
});

describe('a sink for some namespaces', () => {
  const place = { project: 'p', location: 'l', cluster: 'c', ownIdentity: [] };
  const sinkOf = (namespaces: readonly string[] | undefined) =>
    sinkConditions(kinds, { ...place, namespaces });
  const plain = sinkFilter(sinkOf(undefined)).filter;

  it('has one more condition, sorted and without duplicates', () => {
    const { filter } = sinkFilter(sinkOf(['team-b', 'team-a', 'team-b']));
    const within = `protoPayload.resourceName=~"^[^/]+/[^/]+/namespaces/(team-a|team-b)(/|$)"`;
    const clusterWide = `NOT protoPayload.resourceName=~"^[^/]+/[^/]+/namespaces/"`;
    expect(filter).toBe(`${plain}\n(${within} OR ${clusterWide})`);
  });

  it('covers the whole cluster for an empty list', () => {
    expect(sinkFilter(sinkOf([])).filter).toBe(plain);
  });

  const forwarded: Record<string, { reason: string; given: string; want?: string }> = {
    Within: {
      reason: 'the object is in one of the namespaces',
      given: 'example.com/v1/namespaces/team-a/foos/x',
    },
    Collection: {
      reason: 'a deletecollection names no object',
      given: 'apps/v1/namespaces/team-b/deployments',
    },
    LongerName: {
      reason: 'another namespace may start with the same letters',
      given: 'apps/v1/namespaces/team-abc/deployments/x',
      want: 'filter',
    },
    ObjectsName: {
      reason: 'an object may have the name of a namespace',
      given: 'apps/v1/namespaces/other/deployments/team-a',
      want: 'filter',
    },
  };
  it.each(casesOf(forwarded))('%s', (_, { given, want }) => {
    const entry = logEntry({
      method: 'com.example.v1.foos.patch',
      resource: given,
      entry: {
        resource: {
          type: 'k8s_cluster',
          labels: { project_id: 'p', location: 'l', cluster_name: 'c' },
        },
      },
    });
    expect(sinkRefusal(sinkOf(['team-a', 'team-b']), entry)).toBe(want);
  });
});

describe('a sink for a kind whose resources refer to other objects', () => {
  const [fooKind] = kinds;
  const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
  const refersTo = [{ ...fooKind, version: 'v1' }, configMaps];
  const reader = { group: 'example.org', plural: 'readers', kind: 'Reader', owns: [], refersTo };
  const referring = sinkConditions([...kinds, { ...reader, owns: [configMaps] }], {
    project: 'demo',
    location: 'us-central1',
    cluster: 'main',
    ownIdentity: [own],
    namespaces: undefined,
  });

  it.each([
    ['com.example.v1.foos.status.update', own, undefined],
    ['com.example.v1.foos.status.patch', 'jane', undefined],
    ['com.example.v1.foos.scale.patch', 'jane', undefined],
    ['io.k8s.core.v1.configmaps.patch', own, undefined],
    ['io.k8s.core.v1.configmaps.status.patch', 'jane', 'filter'],
    ['io.k8s.apps.v1.deployments.status.patch', 'jane', 'filter'],
    ['io.k8s.apps.v1.deployments.patch', own, 'own-writes'],
  ])('%s by %s', (method, user, want) => {
    const entry = logEntry({ method, resource: 'example.com/v1/namespaces/a/foos/x', user });
    expect(sinkRefusal(referring, entry)).toBe(want);
  });
});

describe('a sink for a kind that owns resources of another kind', () => {
  const [fooKind] = kinds;
  const foos = { ...fooKind, version: 'v1' };
  const garden = {
    group: 'example.org',
    plural: 'gardens',
    kind: 'Garden',
    owns: [foos],
    refersTo: [],
  };
  const nested = sinkConditions([...kinds, garden], {
    project: 'demo',
    location: 'us-central1',
    cluster: 'main',
    ownIdentity: [own],
    namespaces: undefined,
  });

  it.each([
    ['foos.example.com', 'com.example.v1.foos.patch', undefined],
    ['deployments.apps', 'io.k8s.apps.v1.deployments.patch', 'own-writes'],
  ])('our own write of %s', (_, method, want) => {
    const entry = logEntry({ method, resource: 'example.com/v1/namespaces/a/foos/x', user: own });
    expect(sinkRefusal(nested, entry)).toBe(want);
  });
});

describe('sinkRefusal', () => {
  const foo = {
    method: 'com.example.v1.foos.patch',
    resource: 'example.com/v1/namespaces/a/foos/x',
  };
  const deployment = {
    method: 'io.k8s.apps.v1.deployments.patch',
    resource: 'apps/v1/namespaces/a/deployments/x',
  };
  const system = 'system:serviceaccount:kube-system:';
  const cases: Record<string, { reason: string; given: unknown; want?: string }> = {
    Resource: { reason: 'a user edits a resource', given: logEntry(foo) },
    OwnEdit: {
      reason: 'an edit under our own identity is forwarded',
      given: logEntry({ ...foo, user: own }),
    },
    Child: { reason: 'a user edits a child', given: samples.deploymentPatch },
    Scale: { reason: 'a user scales a child', given: samples.deploymentScale },
    GarbageCollector: {
      reason: 'the garbage collector is the only control plane writer that is forwarded',
      given: logEntry({ ...deployment, user: `${system}generic-garbage-collector` }),
    },
    OwnWrite: {
      reason: 'our own writes are dropped',
      given: logEntry({ ...deployment, user: own }),
      want: 'own-writes',
    },
    Controller: {
      reason: 'writes of other controllers are dropped',
      given: logEntry({ ...deployment, user: `${system}deployment-controller` }),
      want: 'control-plane',
    },
    Failed: {
      reason: 'a denied write changed nothing',
      given: logEntry({ ...deployment, status: { code: 7 } }),
      want: 'failed',
    },
    Refused: {
      reason: 'an authorized write may be refused',
      given: logEntry({
        ...deployment,
        status: { code: 10, message: 'the object has been modified' },
        entry: { labels: allowed },
      }),
      want: 'failed',
    },
    NotShown: {
      reason: 'the write was stored, although its response failed',
      given: logEntry({ ...deployment, status: { code: 9 }, entry: { labels: allowed } }),
    },
    TimedOut: {
      reason: 'the write may have been stored after its timeout',
      given: logEntry({
        ...deployment,
        status: { code: 4, message: `${timeout} - context deadline exceeded` },
        entry: { labels: allowed },
      }),
    },
    PartlyDeleted: {
      reason: 'the objects before the one that failed were deleted',
      given: logEntry({
        ...deployment,
        method: 'io.k8s.apps.v1.deployments.deletecollection',
        status: { code: 10, message: 'Operation cannot be fulfilled' },
        entry: { labels: allowed },
      }),
    },
    DryRun: {
      reason: 'a dry run changed nothing',
      given: logEntry({ ...deployment, entry: { labels: { 'command.gke.io/dryRun': 'All' } } }),
      want: 'dry-run',
    },
    DryRunOfDelete: {
      reason: 'the body of a deletion may override its query',
      given: logEntry({
        ...deployment,
        method: 'io.k8s.apps.v1.deployments.delete',
        entry: { labels: { 'command.gke.io/dryRun': 'All' } },
      }),
    },
    Status: {
      reason: 'the method names a subresource between plural and verb',
      given: logEntry({ ...foo, method: 'com.example.v1.foos.status.patch' }),
      want: 'filter',
    },
    Lease: { reason: 'another type is dropped', given: samples.lease, want: 'filter' },
    Read: { reason: 'reads are in another log', given: samples.nodesRead, want: 'filter' },
    OtherLog: {
      reason: 'another log repeats the write',
      given: logEntry({
        ...foo,
        entry: { logName: 'projects/demo/logs/cloudaudit.googleapis.com%2Fdata_access' },
      }),
      want: 'filter',
    },
    OtherCluster: {
      reason: 'a project may have several clusters',
      given: logEntry({ ...foo, entry: { resource: { type: 'k8s_cluster', labels: {} } } }),
      want: 'filter',
    },
    Junk: { reason: 'null is not an entry', given: null, want: 'filter' },
  };
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(sinkRefusal(conditions, given)).toBe(want);
  });
});

const types = [
  ...kinds.flatMap((kind) => [kind, ...kind.owns]),
  { group: '', version: 'v1', plural: 'pods' },
  { group: '', version: 'v1', plural: 'configmaps' },
  { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
  { group: 'batch', version: 'v1', plural: 'jobs' },
  { group: '', version: 'v1', plural: 'namespaces' },
  { group: 'example.org', version: 'v1', plural: 'tenants' },
];
const entries = fc
  .record({
    type: fc.constantFrom(...types),
    version: fc.constantFrom('v1', 'v2beta1'),
    namespace: fc.constantFrom('team-a', 'other', undefined),
    name: fc.constantFrom('x', 'team-a', 'namespaces'),
    subresource: fc.constantFrom(undefined, undefined, 'scale', 'status', 'finalizers'),
    verb: fc.constantFrom(...writeVerbs, 'get', 'watch'),
    user: fc.constantFrom(
      own,
      'jane@example.com',
      garbageCollector,
      'system:node:a',
      'system:kube-scheduler',
      'system:serviceaccount:default:kube-x',
      'system:serviceaccount:kube-system:x',
    ),
    status: fc.constantFrom(
      undefined,
      {},
      { code: 0 },
      { code: 7 },
      { code: 9, message: 'refused' },
      ...[`${timeout} - context canceled`, 'context canceled', 'webhook: context canceled'].map(
        (message) => ({ code: 4, message }),
      ),
    ),
    decision: fc.constantFrom(undefined, 'allow', 'forbid'),
    isDryRun: fc.constantFrom(false, false, false, true),
  })
  // A Namespace has no scale.
  .filter(({ type, subresource }) => type.plural !== 'namespaces' || subresource !== 'scale')
  .map(({ type: { group, plural }, version, namespace, subresource, verb, user, ...more }) => {
    const { name, status, decision, isDryRun } = more;
    const resource = { ...present({ subresource, namespace }), group, version, plural, name };
    const labels = {
      ...(decision === undefined ? {} : { 'authorization.k8s.io/decision': decision }),
      ...(isDryRun ? { 'command.gke.io/dryRun': 'All' } : {}),
    };
    return logEntry({
      method: methodNameOf(resource, verb),
      resource: resourceNameOf(resource),
      user,
      ...present({ status }),
      entry: { labels },
    });
  });

/** A type that Readers both own and refer to. */
const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
const foos = { ...kinds[0], version: 'v1' };
const readers = {
  group: 'example.org',
  plural: 'readers',
  kind: 'Reader',
  owns: [configMaps],
  refersTo: [foos, configMaps],
};

const jobs = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs' };
const runners = {
  group: 'example.org',
  plural: 'runners',
  kind: 'Runner',
  owns: [jobs],
  refersTo: [],
};

/** A cluster-scoped kind; its children as well. */
const tenants = {
  group: 'example.org',
  plural: 'tenants',
  kind: 'Tenant',
  scope: 'Cluster',
  owns: [{ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' }],
  refersTo: [],
} as const;

it.each([
  ['', kinds],
  [', if a kind is cluster-scoped', [...kinds, tenants]],
  [', if resources refer to other objects', [...kinds, readers]],
  [', if a kind owns Jobs', [...kinds, runners]],
] as const)(
  'the sink forwards exactly the entries of its cluster that the functions keep%s',
  (_, searched) => {
    const options = { ownIdentity: [own], namespaces: ['team-a'] };
    const place = { project: 'demo', location: 'us-central1', cluster: 'main' };
    const sink = sinkConditions(searched, { ...place, ...options });
    const verdicts = new Set<boolean>();
    fc.assert(
      fc.property(entries, (entry) => {
        const record = readLogEntry(entry);
        const dropped =
          'dropped' in record
            ? record.dropped
            : dropReason(record, { ...options, kinds: searched });
        verdicts.add(dropped === undefined);
        expect({ isForwarded: sinkRefusal(sink, entry) === undefined, dropped }).toEqual({
          isForwarded: dropped === undefined,
          dropped,
        });
      }),
      effort(20_000),
    );
    expect(verdicts.size).toBe(2);
  },
);
