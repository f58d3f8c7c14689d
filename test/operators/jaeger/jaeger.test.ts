import { configMap, cronJob, deployment, job, service } from 'serverless-reconciler';
import { expect, test, vi } from 'vitest';
import { textAt, valueAt } from '../../../shared/json.ts';
import { open, production, remote } from './fixtures.ts';
import { jaeger } from './jaeger.ts';
import { kafkaNodePool, kafkaUser } from './kafka.ts';

vi.setConfig({ testTimeout: 60_000 });
const aliases = { 'es.use-aliases': 'true', 'es.num-shards': '3' };

test('pods of a process have the settings of the process, and those of the Jaeger', async () => {
  const env = await open();
  const traces = { key: 'traces', operator: 'Exists' };
  const pages = { key: 'pages', operator: 'Exists' };
  const resources = { requests: { cpu: '1', memory: '1Gi' } };
  const query = {
    tolerations: [pages],
    annotations: { team: 'pages' },
    resources: { requests: { cpu: '2' } },
  };
  const annotations = { team: 'traces' };
  const spec = production(remote, { tolerations: [traces], annotations, resources, query });
  await env.apply(jaeger, { name: 'prod', spec });
  await env.resync();
  const template = async (name: string) =>
    valueAt((await env.get(deployment, name))?.spec, 'template');
  expect(await template('prod-collector')).toMatchObject({
    metadata: { annotations },
    spec: { tolerations: [traces] },
  });
  expect(await template('prod-query')).toMatchObject({
    metadata: { annotations: query.annotations },
    spec: {
      tolerations: [pages, traces],
      containers: [{ resources: { requests: { cpu: '2', memory: '1Gi' } } }],
    },
  });
  expect((await env.get(service, 'prod-query'))?.metadata.annotations).toMatchObject(
    query.annotations,
  );
});

test('options are nested, have values of any type, and are given once for each value', async () => {
  const env = await open();
  const options = {
    'grpc-storage': { server: 'storage:17271', 'connection-timeout': null, tls: { enabled: true } },
  };
  const collector = { options: { collector: { 'queue-size': 3000, tags: ['a=1', 'b=2'] } } };
  await env.apply(jaeger, {
    name: 'prod',
    spec: production({ type: 'grpc', options }, { collector }),
  });
  await env.resync();
  const made = (await env.get(deployment, 'prod-collector'))?.spec;
  const [{ args }] = valueAt(made, 'template', 'spec', 'containers') as [{ args: string[] }];
  expect(args.filter((one) => !one.includes('strategies-file'))).toEqual([
    '--collector.queue-size=3000',
    '--collector.tags=a=1',
    '--collector.tags=b=2',
    '--grpc-storage.server=storage:17271',
    '--grpc-storage.tls.enabled=true',
  ]);
});

test('a storage that is a program is copied into the pods that start it', async () => {
  const env = await open();
  const storage = {
    type: 'grpc-plugin',
    grpcPlugin: { image: 'example.org/plugin:1' },
    options: { 'grpc-storage-plugin': { binary: '/plugin/store' }, ...remote.options },
  };
  await env.apply(jaeger, { name: 'prod', spec: production(storage) });
  await env.resync();
  const mount = expect.objectContaining({ name: 'plugin', mountPath: '/plugin' });
  const made = (await env.get(deployment, 'prod-query'))?.spec;
  expect(made).toMatchObject({
    template: {
      spec: {
        initContainers: [{ image: 'example.org/plugin:1', volumeMounts: [mount] }],
        containers: [
          {
            args: expect.arrayContaining(['--grpc-storage-plugin.binary=/plugin/store']),
            volumeMounts: expect.arrayContaining([mount]),
          },
        ],
        volumes: expect.arrayContaining([{ name: 'plugin', emptyDir: {} }]),
      },
    },
  });
  expect(JSON.stringify(made)).not.toContain('--grpc-storage.server');
});

test('pages show what the storage has, unless their settings say otherwise', async () => {
  const env = await open();
  const filesOf = async (name: string, key: string) =>
    JSON.parse(textAt((await env.get(configMap, `${name}-configuration`))?.data, key) ?? '');
  const options = { 'es-archive.enabled': true, 'es.tls.ca': '/ca.crt' };
  const storage = { type: 'elasticsearch', options, esIndexCleaner: { enabled: false } };
  await env.apply(jaeger, { name: 'prod', spec: production(storage) });
  const sampling = { options: { default_strategy: { type: 'const', param: 0 } } };
  const ui = { options: { archiveEnabled: true, dependencies: { menuEnabled: true } } };
  await env.apply(jaeger, { name: 'own', spec: { storage: { type: 'badger' }, sampling, ui } });
  await env.resync();
  expect(await filesOf('prod', 'ui')).toEqual({
    archiveEnabled: true,
    dependencies: { menuEnabled: false },
  });
  expect(await filesOf('prod', 'sampling')).toMatchObject({ default_strategy: { param: 1 } });
  expect(await filesOf('own', 'ui')).toEqual(ui.options);
  expect(await filesOf('own', 'sampling')).toEqual(sampling.options);
  // Spark has no certificates for Elasticsearch.
  expect(await env.list(cronJob)).toEqual([]);
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
  await env.apply(jaeger, { name: 'prod', spec: { strategy: 'streaming', storage: remote } });
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

test('specs that no process could start with are refused, with the reason', async () => {
  const env = await open();
  const cassandra = { type: 'cassandra' };
  const hosts = { es: { hosts: [{ a: 1 }] } };
  const collector = { options: { 'admin.http.host-port': ':4317' } };
  const query = { nodePort: 30_000, grpcNodePort: 30_000 };
  const refused = {
    'needs platform openshift': production(cassandra, { ingress: { security: 'oauth-proxy' } }),
    'needs a storage that its processes share': production({ type: 'badger' }),
    'needs the option grpc-storage.server': production({ type: 'grpc' }),
    'needs grpcPlugin.image': production({ type: 'grpc-plugin' }),
    'storage.options: the list es.hosts may have only': production({ options: hosts }),
    'two ports of the collector are 4317': production(cassandra, { collector }),
    'nodePort and grpcNodePort are the same': production(cassandra, { query }),
  };
  const cases = Object.entries(refused).map(([why, spec], at) => ({ name: `no-${at}`, why, spec }));
  for (const { name, spec } of cases) await env.apply(jaeger, { name, spec });
  await env.resync();
  for (const { name, why } of cases) {
    expect((await env.conditions(jaeger, name)).Ready?.message).toContain(why);
    expect(await env.children(jaeger, name)).toEqual([]);
  }
});

test('Kubernetes refuses a mount without its volume, which is in the condition', async () => {
  const env = await open();
  const query = { volumeMounts: [{ name: 'absent', mountPath: '/data' }] };
  await env.apply(jaeger, { name: 'prod', spec: production(remote, { query }) });
  await env.resync();
  const { Ready, Stalled } = await env.conditions(jaeger, 'prod');
  expect(Stalled?.status).toBe('True');
  expect(Ready?.message).toContain('volumeMounts[1].name: Not found: "absent"');
  expect(await env.get(deployment, 'prod-collector')).toBeDefined();
});
