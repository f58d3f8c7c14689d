import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  configMap,
  cronJob,
  daemonSet,
  deployment,
  ingress,
  job,
  type Kind,
  secret,
  service,
} from '../../index.ts';
import { textAt, valueAt } from '../../shared/json.ts';
import { definitionOf } from '../operators/definition.ts';
import { contactPoint } from '../operators/grafana/alerting/alerting.ts';
import { notificationPolicy } from '../operators/grafana/alerting/policies.ts';
import { notificationPolicyRoute } from '../operators/grafana/alerting/routes.ts';
import { dashboard } from '../operators/grafana/dashboards.ts';
import { datasource } from '../operators/grafana/datasources.ts';
import { folder } from '../operators/grafana/folders.ts';
import { httpRoute } from '../operators/grafana/front.ts';
import { grafana } from '../operators/grafana/grafana.ts';
import { elasticsearch } from '../operators/jaeger/elasticsearch.ts';
import { jaeger } from '../operators/jaeger/jaeger.ts';
import { kafka, kafkaNodePool, kafkaUser } from '../operators/jaeger/kafka.ts';
import { grant } from '../operators/mariadb/grant.ts';
import { database } from '../operators/mariadb/mariadb.ts';
import { externalServer, server } from '../operators/mariadb/server.ts';
import { user } from '../operators/mariadb/user.ts';
import { route } from '../operators/openshift.ts';
import { namespaceType, openEngine } from '../reconcile/engine.ts';
import { type Api, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { startRealEngine } from './real-engine.ts';

const kinds = [
  ...[jaeger, database, user, grant],
  ...[
    grafana,
    folder,
    dashboard,
    datasource,
    contactPoint,
    notificationPolicy,
    notificationPolicyRoute,
  ],
];
const definitionType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
};

interface Ground {
  /** Acts while the Jobs that are running fail at their time limit. */
  readonly whileJobsFail: (act: () => Promise<unknown>) => Promise<unknown>;
  readonly admin: Api;
  readonly api: Api;
  /** The API of another namespace. */
  readonly platform: Api;
  readonly resync: () => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

const namespace = 'operators';

async function openLocal(): Promise<Ground> {
  const engine = await openEngine();
  await engine.install(kinds);
  const { api, resync } = await engine.place(kinds);
  const { api: platform } = await engine.place(kinds);
  const { controllers } = engine.cluster;
  let isFailing = false;
  return {
    admin: engine.admin,
    api,
    platform,
    async resync() {
      await resync();
      if (isFailing) await failJobs(api);
    },
    // The embedded cluster ignores time limits.
    async whileJobsFail(act) {
      controllers.pause();
      isFailing = true;
      await act();
      isFailing = false;
      controllers.resume();
    },
    stop: engine.stop,
  };
}

/** Writes the status that the Job controller writes after the time limit. */
async function failJobs(api: Api): Promise<void> {
  for (const { metadata, status = {} } of await api.list(job)) {
    if (status.conditions !== undefined) continue;
    const at = new Date().toISOString().replace(/\.\d+/, '');
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
      lastTransitionTime: at,
      lastProbeTime: at,
    };
    const conditions = [{ ...failed, type: 'FailureTarget' }, failed];
    const body = { status: { ...status, startTime: at, active: 0, failed: 1, conditions } };
    await api.patch(job, metadata.name, body, { subresource: 'status' });
  }
}

async function openReal(): Promise<Ground> {
  const engine = await startRealEngine(kinds, { controllers: true });
  const admin = openApi(engine.client);
  for (const name of [namespace, 'platform']) await admin.create(namespaceType, name, {});
  return {
    admin,
    api: openApi(engine.client, namespace),
    platform: openApi(engine.client, 'platform'),
    resync: () => engine.run({}, { kinds, namespaces: [namespace] }),
    whileJobsFail: (act) => act(),
    stop: engine.stop,
  };
}

describe.each([
  ['embedded', openLocal],
  ['real', openReal],
])('on the %s cluster', (_, open) => {
  let admin: Api;
  let api: Api;
  let platform: Api;
  let resync: Ground['resync'];
  let stop: Ground['stop'] | undefined;
  let whileJobsFail: Ground['whileJobsFail'];

  beforeAll(async () => {
    ({ admin, api, platform, resync, stop, whileJobsFail } = await open());
    const others = [
      server,
      externalServer,
      kafka,
      kafkaNodePool,
      kafkaUser,
      route,
      httpRoute,
      elasticsearch,
    ];
    for (const { metadata, spec } of others.map(definitionOf))
      await admin.create(definitionType, metadata.name, { metadata, spec });
  }, 900_000);
  afterAll(() => stop?.());

  const reaches = (kind: Kind, name: string, expected: object) =>
    eventually(async () => {
      await resync();
      const { status } = await api.get(kind, name);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect(ready).toMatchObject(expected);
    }, 90_000);
  const isReady = (kind: Kind, name: string) => reaches(kind, name, { status: 'True' });
  const templateOf = async (name: string) =>
    valueAt((await api.get(deployment, name)).spec, 'template');
  const imageOf = async (name: string) => {
    const containers = valueAt(await templateOf(name), 'spec', 'containers');
    return (containers as readonly { readonly image?: string }[])[0]?.image;
  };

  test('a Jaeger is installed, upgraded once its schema is, recovers from a failed one, scales, and gets a host', {
    timeout: 300_000,
  }, async () => {
    const storage = { type: 'cassandra' };
    await api.create(jaeger, 'traces', { spec: { strategy: 'production', storage } });
    await isReady(jaeger, 'traces');
    expect(await imageOf('traces-query')).toBe('jaegertracing/jaeger-query:1.65.0');

    // A Job that no node may run fails at its time limit.
    const term = { matchExpressions: [{ key: 'never', operator: 'Exists' }] };
    const required = { nodeSelectorTerms: [term] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const failing = { ...storage, cassandraCreateSchema: { timeout: '1s', affinity } };
    await whileJobsFail(async () => {
      await api.patch(jaeger, 'traces', { spec: { version: '1.66.0', storage: failing } });
      await reaches(jaeger, 'traces', { status: 'False', reason: 'DeadlineExceeded' });
    });
    expect(await imageOf('traces-query')).toBe('jaegertracing/jaeger-query:1.65.0');

    // While the new version waits, what both versions want alike is repaired.
    const edited = { enableServiceLinks: true };
    await api.patch(deployment, 'traces-query', { spec: { template: { spec: edited } } });
    await eventually(async () => {
      await resync();
      const links = valueAt(await templateOf('traces-query'), 'spec', 'enableServiceLinks');
      expect(links).toBe(false);
    });
    expect(await imageOf('traces-query')).toBe('jaegertracing/jaeger-query:1.65.0');

    const repaired = { ...storage, cassandraCreateSchema: { timeout: '24h', affinity: null } };
    await api.patch(jaeger, 'traces', { spec: { version: '1.66.0', storage: repaired } });
    await isReady(jaeger, 'traces');
    expect(await imageOf('traces-query')).toBe('jaegertracing/jaeger-query:1.66.0');

    await api.patch(jaeger, 'traces', { spec: { query: { replicas: 3 } } });
    await isReady(jaeger, 'traces');
    expect(await api.get(deployment, 'traces-query')).toMatchObject({ spec: { replicas: 3 } });

    const backend = { service: { name: 'traces-query', port: { name: 'http-query' } } };
    const ingressOf = async () => (await api.get(ingress, 'traces-query')).spec;
    expect(await ingressOf()).toEqual({ defaultBackend: backend });
    const hosts = ['traces.example.org'];
    await api.patch(jaeger, 'traces', { spec: { ingress: { hosts } } });
    await isReady(jaeger, 'traces');
    const http = { paths: [{ pathType: 'ImplementationSpecific', backend }] };
    expect(await ingressOf()).toEqual({ rules: [{ host: hosts[0], http }] });
    await api.patch(jaeger, 'traces', { spec: { ingress: { hosts: null } } });
    await isReady(jaeger, 'traces');
    expect(await ingressOf()).toEqual({ defaultBackend: backend });

    const strategyOf = async () => (await api.get(deployment, 'traces-query')).spec?.strategy;
    await api.patch(jaeger, 'traces', { spec: { query: { strategy: { type: 'RollingUpdate' } } } });
    await isReady(jaeger, 'traces');
    expect(await strategyOf()).toMatchObject({ rollingUpdate: { maxSurge: '25%' } });
    await api.patch(jaeger, 'traces', { spec: { query: { strategy: null } } });
    await isReady(jaeger, 'traces');
    expect(await strategyOf()).toEqual({ type: 'Recreate' });
  });

  test('on OpenShift, pods restart when it fills their certificate authorities, and agents trust these', {
    timeout: 300_000,
  }, async () => {
    const options = { collector: { 'queue-size': 3000, tags: ['a=1', 'b=2'] } };
    const agent = { strategy: 'DaemonSet', hostNetwork: true };
    const spec = { platform: 'openshift', allInOne: { options }, agent };
    await api.create(jaeger, 'shift', { spec });
    await isReady(jaeger, 'shift');
    expect(valueAt(await templateOf('shift-all-in-one'), 'spec', 'containers')).toMatchObject([
      { args: expect.arrayContaining(['--collector.tags=a=1', '--collector.tags=b=2']) },
      { name: 'oauth-proxy' },
    ]);

    const templates = async () => [
      await templateOf('shift-all-in-one'),
      valueAt((await api.get(daemonSet, 'shift-agent-daemonset')).spec, 'template'),
    ];
    const fill = async (name: string, data: Readonly<Record<string, string>>) => {
      const former = await templates();
      await api.patch(configMap, name, { data });
      await eventually(async () => {
        await resync();
        for (const [at, template] of (await templates()).entries())
          expect(template).not.toEqual(former[at]);
      });
    };
    await fill('shift-trusted-ca', { 'ca-bundle.crt': 'one' });
    await fill('shift-service-ca', { 'service-ca.crt': 'one' });
    await fill('shift-trusted-ca', { 'ca-bundle.crt': 'two' });
    await isReady(jaeger, 'shift');

    // Content that OpenShift has written stays, and is not written again.
    const marked = async () => [
      await api.get(configMap, 'shift-trusted-ca'),
      await api.get(configMap, 'shift-service-ca'),
    ];
    const [former, rolled] = [await marked(), await templates()];
    expect(former).toMatchObject([
      {
        metadata: { labels: { 'config.openshift.io/inject-trusted-cabundle': 'true' } },
        data: { 'ca-bundle.crt': 'two' },
      },
      {
        metadata: { annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } },
        data: { 'service-ca.crt': 'one' },
      },
    ]);
    await resync();
    expect(await marked()).toEqual(former);
    expect(await templates()).toEqual(rolled);

    const storage = { type: 'grpc-plugin', grpcPlugin: { image: 'plugin:1' } };
    await api.patch(jaeger, 'shift', { spec: { storage, agent: { strategy: 'Sidecar' } } });
    await isReady(jaeger, 'shift');
    expect(await api.find(daemonSet, 'shift-agent-daemonset')).toBeUndefined();
    expect(valueAt(await templateOf('shift-all-in-one'), 'spec')).toMatchObject({
      initContainers: [{ image: 'plugin:1', volumeMounts: [{ mountPath: '/plugin' }, {}] }],
    });
  });

  test('a Database and its User are made, get another password, and are dropped', {
    timeout: 300_000,
  }, async () => {
    const ref = (name: string) => ({ name, key: 'password' });
    await api.create(server, 'mariadb', { spec: { rootPasswordSecretKeyRef: ref('root') } });
    for (const name of ['root', 'shop'])
      await api.create(secret, name, { stringData: { password: name } });
    const spec = { mariaDbRef: { name: 'mariadb' } };
    await api.create(database, 'shop', { spec });
    await reaches(database, 'shop', { reason: 'ServerNotReady' });
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    await api.patch(server, 'mariadb', { status }, { subresource: 'status' });
    await api.create(user, 'shop', { spec: { ...spec, passwordSecretKeyRef: ref('shop') } });
    await isReady(database, 'shop');
    await isReady(user, 'shop');
    const setting = async () => {
      const jobs = await api.list(job);
      const own = jobs.filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'User');
      return own.map(({ metadata }) => metadata.uid);
    };
    const former = await setting();
    await api.patch(secret, 'shop', { stringData: { password: 'another' } });
    await eventually(async () => {
      await resync();
      const uids = await setting();
      expect(uids).toHaveLength(1);
      expect(uids).not.toEqual(former);
    });
    await isReady(user, 'shop');
    await api.patch(database, 'shop', { spec: { requeueInterval: '30m' } });
    await isReady(database, 'shop');
    expect((await api.get(cronJob, 'shop-database')).spec).toMatchObject({
      schedule: '*/30 * * * *',
    });
    await api.create(grant, 'shop', {
      spec: { mariaDbRef: spec.mariaDbRef, username: 'shop', privileges: ['SELECT'] },
    });
    await isReady(grant, 'shop');
    await api.patch(grant, 'shop', { spec: { privileges: ['INSERT'] } });
    await isReady(grant, 'shop');
    expect((await api.get(grant, 'shop')).status).toMatchObject({ currentPrivileges: ['INSERT'] });
    for (const kind of [grant, user, database]) {
      await api.remove(kind, 'shop');
      await eventually(async () => {
        await resync();
        expect(await api.find(kind, 'shop')).toBeUndefined();
      }, 90_000);
    }
  });

  test('a Database is made on a server of another namespace, with copies of the Secrets that it grants', {
    timeout: 300_000,
  }, async () => {
    const metadata = {
      labels: { 'k8s.mariadb.com/watch': '' },
      annotations: { 'serverless-reconciler/readable-by': '*/databases.k8s.mariadb.com' },
    };
    const content = {
      root: ['password'],
      'shared-ca-bundle': ['ca.crt'],
      client: ['tls.crt', 'tls.key'],
    };
    for (const [name, keys] of Object.entries(content))
      await platform.create(secret, name, {
        metadata,
        stringData: Object.fromEntries(keys.map((key) => [key, key])),
      });
    const rootPasswordSecretKeyRef = { name: 'root', key: 'password' };
    const tls = { enabled: true, clientCertSecretRef: { name: 'client' } };
    const galera = { enabled: true };
    await platform.create(server, 'shared', {
      metadata,
      spec: { rootPasswordSecretKeyRef, tls, galera },
    });
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    await platform.patch(server, 'shared', { status }, { subresource: 'status' });
    const mariaDbRef = { name: 'shared', namespace: platform.namespace ?? '' };
    await api.create(database, 'orders', { spec: { mariaDbRef, retryInterval: '5s' } });
    await isReady(database, 'orders');
    const { data } = await api.get(secret, 'orders-database-connection');
    expect(Object.keys(data ?? {}).toSorted()).toEqual(Object.values(content).flat().toSorted());
    await api.remove(database, 'orders');
    await eventually(async () => {
      await resync();
      expect(await api.find(database, 'orders')).toBeUndefined();
    }, 90_000);
  });

  test('a Grafana shows dashboards, data sources and contact points that select it, and follows a rotated Secret', {
    timeout: 300_000,
  }, async () => {
    await api.create(grafana, 'shop', { metadata: { labels: { team: 'shop' } }, spec: {} });
    await api.create(secret, 'orders', { stringData: { password: 'one' } });
    for (const kind of [dashboard, datasource])
      await api.create(kind, 'orders', { spec: kind.samples[0]?.spec ?? {} });
    const annotations = async () =>
      valueAt(await templateOf('shop-deployment'), 'metadata', 'annotations');
    const content = async (name: string, key: string) => {
      const made = await api.get(secret, name);
      return Buffer.from(textAt(made, 'data', key) ?? '', 'base64').toString();
    };
    const datasourceOf = () => content('orders-datasource-shop', 'datasource.yaml');
    const contactOf = () => content('pager-contact-shop', 'alerting.yaml');
    await api.create(contactPoint, 'pager', { spec: contactPoint.samples[0]?.spec ?? {} });
    await isReady(dashboard, 'orders');
    await isReady(datasource, 'orders');
    await isReady(grafana, 'shop');
    expect(await datasourceOf()).toContain('"password":"one"');
    expect(await contactOf()).toContain('"authorization_credentials":"one"');
    expect((await api.list(configMap)).map(({ metadata }) => metadata.name)).toContainEqual(
      expect.stringMatching(/^shop-folder-/),
    );
    const former = await annotations();
    await api.patch(secret, 'orders', { stringData: { password: 'two' } });
    await eventually(async () => {
      await resync();
      expect(await datasourceOf()).toContain('"password":"two"');
      expect(await contactOf()).toContain('"authorization_credentials":"two"');
      expect(await annotations()).not.toEqual(former);
    });
    await isReady(grafana, 'shop');

    const env = [{ name: 'GF_LOG_LEVEL', value: 'debug' }];
    const template = { spec: { containers: [{ name: 'grafana', env }] } };
    await api.patch(grafana, 'shop', {
      spec: { deployment: { spec: { template } }, httpRoute: {} },
    });
    await eventually(async () => {
      await resync();
      const containers = valueAt(await templateOf('shop-deployment'), 'spec', 'containers');
      expect(containers).toMatchObject([{ env: expect.arrayContaining(env) }]);
    });
    expect(await api.get(httpRoute, 'shop-httproute')).toMatchObject({
      spec: { rules: [{ backendRefs: [{ name: 'shop-service', port: 3000 }] }] },
    });
    await isReady(grafana, 'shop');

    await api.patch(grafana, 'shop', { metadata: { labels: { cost: '7' } } });
    await eventually(async () => {
      await resync();
      expect((await api.get(secret, 'shop-admin-credentials')).metadata.labels?.cost).toBe('7');
    });
    await api.patch(grafana, 'shop', { metadata: { labels: { cost: null } } });
    await eventually(async () => {
      await resync();
      const { labels } = (await api.get(secret, 'shop-admin-credentials')).metadata;
      expect(labels).not.toHaveProperty('cost');
    });

    // Kubernetes refuses a mount without its volume.
    const mounting = (name: string, more: object) => ({
      spec: {
        deployment: {
          spec: {
            progressDeadlineSeconds: 600,
            template: {
              spec: {
                ...more,
                hostAliases: [{ ip: '10.0.0.1', hostnames: ['ldap'] }],
                containers: [{ name: 'grafana', volumeMounts: [{ name, mountPath: '/extra' }] }],
              },
            },
          },
        },
        service: { spec: { sessionAffinity: 'ClientIP' } },
      },
    });
    await api.patch(grafana, 'shop', mounting('extra', {}));
    await reaches(grafana, 'shop', {
      status: 'False',
      message: expect.stringContaining('Not found: "extra"'),
    });
    expect((await api.get(service, 'shop-service')).spec).toMatchObject({
      sessionAffinity: 'ClientIP',
    });
    await api.patch(
      grafana,
      'shop',
      mounting('extra', { volumes: [{ name: 'extra', emptyDir: {} }] }),
    );
    await isReady(grafana, 'shop');
    expect(valueAt(await templateOf('shop-deployment'), 'spec')).toMatchObject({
      hostAliases: [{ hostnames: ['ldap'] }],
    });

    await api.patch(dashboard, 'orders', { spec: { folderRef: 'sales' } });
    await reaches(dashboard, 'orders', { reason: 'FolderMissing' });
    await api.create(folder, 'sales', { spec: folder.samples[0]?.spec ?? {} });
    await isReady(dashboard, 'orders');
    await eventually(async () => {
      await resync();
      const { data } = await api.get(configMap, 'shop-ini');
      expect(textAt(data, 'dashboards.yaml')).toContain('"folderUid":"sales"');
    });

    await api.create(notificationPolicyRoute, 'night', {
      metadata: { labels: { of: 'sales' } },
      spec: { receiver: 'phone' },
    });
    const routeSelector = { matchLabels: { of: 'sales' } };
    const routes = [{ receiver: 'chat', routes: [{ receiver: 'board', routeSelector }] }];
    const { instanceSelector } = notificationPolicy.samples[0]?.spec ?? {};
    await api.create(notificationPolicy, 'all', {
      spec: { instanceSelector, route: { receiver: 'pager', routes } },
    });
    const policyOf = () => content('all-policy-shop', 'alerting.yaml');
    await eventually(async () => {
      await resync();
      expect(await policyOf()).toContain('"receiver":"phone"');
    });
    await api.patch(notificationPolicyRoute, 'night', { metadata: { labels: { of: 'none' } } });
    await eventually(async () => {
      await resync();
      expect(await policyOf()).not.toContain('"receiver":"phone"');
    });
    await isReady(grafana, 'shop');
  });
});
