import { configMap, cronJob, deployment, job, secret, service } from 'serverless-reconciler';
import {
  createTestEnvironment,
  expectConverged,
  expectReliable,
} from 'serverless-reconciler/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { valueAt } from '../../../shared/json.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { isWhole } from '../../properties/runs.ts';
import { definitionOf } from '../definition.ts';
import { route } from '../openshift.ts';
import { elasticsearch } from './elasticsearch.ts';
import { jaeger } from './jaeger.ts';
import { kafka, kafkaNodePool, kafkaUser } from './kafka.ts';
import { passedOn } from './spec.ts';

vi.setConfig({ testTimeout: 400_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };
const given = [kafka, kafkaNodePool, kafkaUser, route, elasticsearch].map(definitionOf);

const production = (storage: JsonObject, more: JsonObject = {}) => ({
  strategy: 'production',
  storage,
  ...more,
});
const aliases = { 'es.use-aliases': 'true', 'es.num-shards': '3' };
const pods = {
  tolerations: [{ key: 'traces', operator: 'Exists' }],
  resources: { requests: { cpu: '100m' }, limits: { cpu: '1', memory: '1Gi' } },
  query: {
    metricsStorage: { type: 'prometheus', 'server-url': 'http://prometheus:9090' },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%' } },
    nodeSelector: { disk: 'fast' },
    volumes: [{ name: 'scratch', emptyDir: {} }],
    volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
    serviceType: 'LoadBalancer',
  },
};

/** The others take most of a minute each, so only the long form tries them. */
const all: readonly (readonly [string, JsonObject, readonly RegExp[]])[] = [
  [
    'with files and a page',
    { storage: { type: 'badger', options: { 'badger.ephemeral': 'false' } } },
    [/^Deployment prod-all-in-one/, /^Ingress prod-query/],
  ],
  [
    'with Cassandra and settings of its pods',
    production({ type: 'cassandra' }, { ...pods, ingress: { enabled: false } }),
    [/^Job prod-schema-/, /^HorizontalPodAutoscaler prod-collector/],
  ],
  [
    'on OpenShift',
    { platform: 'openshift' },
    [/^Route prod/, /^Secret prod-ui-proxy-session/, /^ServiceAccount prod-ui-proxy/],
  ],
];

test.each(isWhole ? all : all.slice(0, 1))(
  'expectConverged accepts a Jaeger %s',
  async (_, spec, made) => {
    const { children } = await expectConverged(jaeger, { given, resource: { name: 'prod', spec } });
    for (const one of made) expect(children).toContainEqual(expect.stringMatching(one));
  },
);

async function open() {
  const env = await createTestEnvironment({ kinds: [jaeger] });
  onTestFinished(() => env.close());
  for (const one of given) await env.apply(one);
  return env;
}

test('pods of a process have the settings of the process, and by default those of the Jaeger', async () => {
  const env = await open();
  const tolerations = [{ key: 'traces', operator: 'Exists' }];
  const annotations = { team: 'traces' };
  const query = { tolerations: [], annotations: { team: 'pages' } };
  const storage = { type: 'elasticsearch' };
  await env.apply(jaeger, {
    name: 'prod',
    spec: production(storage, { tolerations, annotations, query }),
  });
  await env.resync();
  const template = async (name: string) =>
    valueAt((await env.get(deployment, name))?.spec, 'template');
  expect(await template('prod-collector')).toMatchObject({
    metadata: { annotations },
    spec: { tolerations },
  });
  const pages = await template('prod-query');
  expect(pages).toMatchObject({ metadata: { annotations: query.annotations } });
  expect(pages).not.toMatchObject({ spec: { tolerations } });
});

test('indices roll over, and old ones are removed from the read alias and deleted', async () => {
  const env = await open();
  const esRollover = { readTTL: '48h', conditions: '{"max_age":"2d"}' };
  const storage = { type: 'elasticsearch', options: aliases, esRollover };
  await env.apply(jaeger, { name: 'prod', spec: production(storage) });
  await env.resync();
  const containerOf = async (what: string) =>
    valueAt(
      (await env.get(cronJob, `prod-${what}`))?.spec,
      'jobTemplate',
      'spec',
      'template',
      'spec',
    );
  expect(await containerOf('es-rollover')).toMatchObject({
    containers: [{ args: ['rollover', expect.any(String)], env: [{ value: '{"max_age":"2d"}' }] }],
  });
  expect(await containerOf('es-lookback')).toMatchObject({
    containers: [{ env: [{ value: 'seconds' }, { value: '172800' }] }],
  });
  expect(await containerOf('es-index-cleaner')).toMatchObject({
    containers: [{ args: ['7', expect.any(String)], env: [{ name: 'ROLLOVER', value: 'true' }] }],
  });
  const [init, ...others] = await env.list(job);
  expect(init?.metadata.name).toMatch(/^prod-es-rollover-init-/);
  expect(others).toEqual([]);
  expect(await env.get(deployment, 'prod-collector')).toBeUndefined();
});

test('a Jaeger creates and uses a Kafka if none is given', async () => {
  const env = await open();
  const storage = { type: 'grpc', options: { 'grpc-storage.server': 'storage:17271' } };
  await env.apply(jaeger, { name: 'prod', spec: { strategy: 'streaming', storage } });
  await env.resync();
  expect(await env.get(kafkaUser, 'prod')).toMatchObject({
    metadata: { labels: { 'strimzi.io/cluster': 'prod' } },
  });
  const brokers = 'brokers=prod-kafka-bootstrap.default.svc.cluster.local:9093';
  const argsOf = async (name: string) =>
    valueAt((await env.get(deployment, name))?.spec, 'template', 'spec', 'containers');
  expect(await argsOf('prod-collector')).toMatchObject([
    { args: expect.arrayContaining([`--kafka.producer.${brokers}`]) },
  ]);
  expect(await argsOf('prod-ingester')).toMatchObject([
    { args: expect.arrayContaining([`--kafka.consumer.${brokers}`]) },
  ]);

  const options = { 'kafka.producer.brokers': 'kafka:9092' };
  await env.patch(jaeger, 'prod', { body: { spec: { collector: { options } } } });
  await env.resync();
  expect(await env.get(kafkaUser, 'prod')).toBeUndefined();
  expect(await env.get(kafkaNodePool, 'prod-nodes')).toBeUndefined();
});

test('a process has only the options of its own storage', async () => {
  const env = await open();
  const options = { 'grpc-storage.server': 'storage:17271', 'es.server-urls': 'http://es:9200' };
  await env.apply(jaeger, { name: 'prod', spec: production({ type: 'grpc', options }) });
  await env.resync();
  const query = JSON.stringify(await env.get(deployment, 'prod-query'));
  expect(query).toContain('--grpc-storage.server=storage:17271');
  expect(query).not.toContain('--es.server-urls');
});

test('on OpenShift, the UI is behind a Route and a proxy that requires permission to read pods', async () => {
  const env = await open();
  const openshift = { timeout: '70s', htpasswdFile: '/etc/users/htpasswd' };
  const mounts = {
    volumes: [{ name: 'users', secret: { secretName: 'users' } }],
    volumeMounts: [{ name: 'users', mountPath: '/etc/users' }],
  };
  const ingress = { hosts: ['traces.example.org'], openshift };
  await env.apply(jaeger, { name: 'prod', spec: { platform: 'openshift', ingress, ...mounts } });
  await env.resync();
  expect(await env.get(route, 'prod')).toMatchObject({
    spec: {
      host: 'traces.example.org',
      to: { name: 'prod-query' },
      port: { targetPort: 'https' },
      tls: { termination: 'reencrypt' },
    },
  });
  expect((await env.get(service, 'prod-query'))?.spec).toMatchObject({
    ports: [{ name: 'https', port: 443, targetPort: 8443 }, { port: 16685 }, { name: 'admin' }],
  });
  const data = (await env.get(secret, 'prod-ui-proxy-session'))?.data as { session: string };
  expect(Buffer.from(data.session, 'base64')).toHaveLength(32);
  expect((await env.get(deployment, 'prod-all-in-one'))?.spec).toMatchObject({
    template: {
      spec: {
        serviceAccountName: 'prod-ui-proxy',
        containers: [
          { name: 'jaeger' },
          {
            name: 'oauth-proxy',
            args: expect.arrayContaining([
              '--openshift-service-account=prod-ui-proxy',
              '--openshift-sar={"namespace":"default","resource":"pods","verb":"get"}',
              '--upstream-timeout=70s',
              '--htpasswd-file=/etc/users/htpasswd',
            ]),
            volumeMounts: expect.arrayContaining(mounts.volumeMounts),
          },
        ],
      },
    },
  });
  expect((await env.get(configMap, 'prod-configuration'))?.data).toMatchObject({
    ui: expect.stringContaining('/oauth/sign_in'),
  });

  await env.patch(jaeger, 'prod', { body: { spec: { ingress: { security: 'none' } } } });
  await env.resync();
  expect(await env.get(secret, 'prod-ui-proxy-session')).toBeUndefined();
  expect(await env.get(route, 'prod')).toMatchObject({
    spec: { port: { targetPort: 'ui' }, tls: { termination: 'edge' } },
  });
});

test('processes and Jobs wait for the Elasticsearch of OpenShift, and mount its certificates', async () => {
  const env = await open();
  const storage = {
    type: 'elasticsearch',
    options: { 'es.use-aliases': 'true' },
    elasticsearch: { nodeCount: 5, redundancyPolicy: 'MultipleRedundancy' },
  };
  await env.apply(jaeger, { name: 'prod', spec: production(storage, { platform: 'openshift' }) });
  await env.resync();
  expect(await env.get(elasticsearch, 'elasticsearch')).toMatchObject({
    metadata: {
      annotations: {
        'logging.openshift.io/elasticsearch-cert.jaeger-elasticsearch': 'user.jaeger',
      },
    },
    spec: {
      nodes: [
        { nodeCount: 3, roles: ['master', 'client', 'data'] },
        { nodeCount: 2, roles: ['client', 'data'] },
      ],
    },
  });
  expect(await env.list(job)).toEqual([]);

  const status = { cluster: { status: 'yellow' } };
  await env.patch(elasticsearch, 'elasticsearch', { subresource: 'status', body: { status } });
  await env.resync();
  const [init] = await env.list(job);
  const mounted = {
    volumes: expect.arrayContaining([
      {
        name: 'elasticsearch-certs',
        secret: expect.objectContaining({ secretName: 'jaeger-elasticsearch' }),
      },
    ]),
  };
  expect(init?.spec).toMatchObject({ template: { spec: mounted } });
  expect(JSON.stringify(init?.spec)).toContain('https://elasticsearch:9200');
  expect(JSON.stringify(init?.spec)).toContain('{"name":"REPLICAS","value":"2"}');
  expect(await env.get(deployment, 'prod-collector')).toBeUndefined();
});

test('an existing Elasticsearch is used, and none is created', async () => {
  const env = await open();
  const storage = {
    type: 'elasticsearch',
    elasticsearch: { name: 'shared', doNotProvision: true },
  };
  await env.apply(jaeger, { name: 'prod', spec: production(storage, { platform: 'openshift' }) });
  await env.resync();
  expect(await env.list(elasticsearch)).toEqual([]);
  const collector = JSON.stringify(await env.get(deployment, 'prod-collector'));
  expect(collector).toContain('--es.server-urls=https://shared:9200');
  expect(collector).toContain('"secretName":"jaeger-shared"');
});

test.each([
  [{ type: 'cassandra' }, { ingress: { security: 'oauth-proxy' } }, 'needs platform openshift'],
  [{ type: 'badger' }, {}, 'needs a storage that its processes share'],
  [{ type: 'grpc' }, {}, 'needs the option grpc-storage.server'],
  [
    { type: 'cassandra' },
    { query: { nodePort: 30_000, grpcNodePort: 30_000 } },
    'nodePort and grpcNodePort are the same',
  ],
])('storage %o with %o is refused', async (storage, more, why) => {
  const env = await open();
  await env.apply(jaeger, { name: 'prod', spec: production(storage, more) });
  await env.resync();
  expect((await env.conditions(jaeger, 'prod')).Ready?.message).toContain(why);
  expect(await env.children(jaeger, 'prod')).toEqual([]);
});

test.each([
  ['strategy', { type: 'Recreate', rollingUpdate: {} }, 'rollingUpdate: Forbidden'],
  [
    'resources',
    { requests: { memory: '1Gi' }, limits: { memory: '1000M' } },
    'must be less than or equal to memory limit',
  ],
])('Kubernetes refuses a %s, which is in the condition', async (field, value, why) => {
  const env = await open();
  const options = { 'grpc-storage.server': 'storage:17271' };
  const query = { [field]: value };
  await env.apply(jaeger, { name: 'prod', spec: production({ type: 'grpc', options }, { query }) });
  await env.resync();
  const { Ready, Stalled } = await env.conditions(jaeger, 'prod');
  expect(Stalled?.status).toBe('True');
  expect(Ready?.message).toContain(why);
  expect(await env.get(deployment, 'prod-collector')).toBeDefined();
});

test('on OpenShift, pods have its certificate authorities, and collectors a certificate', async () => {
  const env = await open();
  const storage = { type: 'grpc', options: { 'grpc-storage.server': 'storage:17271' } };
  const platform = 'openshift';
  await env.apply(jaeger, { name: 'prod', spec: production(storage, { platform }) });
  await env.apply(jaeger, { name: 'one', spec: { platform } });
  await env.resync();
  const trusted = await env.get(configMap, 'prod-trusted-ca');
  expect(trusted?.metadata.labels).toMatchObject({
    'config.openshift.io/inject-trusted-cabundle': 'true',
  });
  const podOf = async (name: string) =>
    valueAt((await env.get(deployment, name))?.spec, 'template', 'spec');
  const mount = { name: 'trusted-ca', mountPath: '/etc/pki/ca-trust/extracted/pem' };
  const volumeMounts = expect.arrayContaining([expect.objectContaining(mount)]);
  expect(await podOf('prod-query')).toMatchObject({
    containers: [{ volumeMounts }, { name: 'oauth-proxy', volumeMounts }],
  });
  expect(await podOf('one-all-in-one')).toMatchObject({
    volumes: expect.arrayContaining([expect.objectContaining({ name: 'service-ca' })]),
  });
  expect(await podOf('prod-collector')).toMatchObject({
    containers: [{ args: expect.arrayContaining(['--collector.grpc.tls.enabled=true']) }],
  });
  expect((await env.get(service, 'prod-collector-headless'))?.metadata.annotations).toMatchObject({
    'service.beta.openshift.io/serving-cert-secret-name': 'prod-collector-headless-tls',
  });

  // OpenShift fills the bundle, which stays.
  await env.patch(configMap, 'prod-trusted-ca', { body: { data: { 'ca-bundle.crt': 'PEM' } } });
  await env.resync();
  expect((await env.get(configMap, 'prod-trusted-ca'))?.data).toEqual({ 'ca-bundle.crt': 'PEM' });

  const volumes = [{ name: 'own', configMap: { name: 'own' } }];
  const volumeMountsOfOwn = [{ name: 'own', mountPath: mount.mountPath }];
  const spec = { volumes, volumeMounts: volumeMountsOfOwn };
  await env.patch(jaeger, 'prod', { body: { spec } });
  await env.resync();
  expect(await env.get(configMap, 'prod-trusted-ca')).toBeUndefined();
});

test('no spec of a Jaeger breaks a law', async () => {
  await expectReliable(jaeger, { given, passedOn, ...search });
});
