import { configMap, daemonSet, deployment, job, secret, service } from 'serverless-reconciler';
import { expect, test, vi } from 'vitest';
import { valueAt } from '../../../shared/json.ts';
import { route } from '../openshift.ts';
import { elasticsearch } from './elasticsearch.ts';
import { open, production } from './fixtures.ts';
import { jaeger } from './jaeger.ts';

vi.setConfig({ testTimeout: 60_000 });

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
      port: { targetPort: 'https-query' },
      tls: { termination: 'reencrypt' },
    },
  });
  expect((await env.get(service, 'prod-query'))?.spec).toMatchObject({
    ports: [
      { name: 'https-query', port: 443, targetPort: 8443 },
      { name: 'grpc-query', port: 16685 },
      { name: 'admin-http' },
    ],
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
    spec: { port: { targetPort: 'http-query' }, tls: { termination: 'edge' } },
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

test('an existing Elasticsearch is used with its number of nodes, and none is created', async () => {
  const env = await open();
  const storage = {
    type: 'elasticsearch',
    elasticsearch: { name: 'shared', doNotProvision: true },
  };
  const shared = { apiVersion: 'logging.openshift.io/v1', kind: 'Elasticsearch' };
  const nodes = [{ nodeCount: 3 }, { nodeCount: 2 }];
  await env.apply({ ...shared, metadata: { name: 'shared' }, spec: { nodes } });
  await env.apply(jaeger, { name: 'prod', spec: production(storage, { platform: 'openshift' }) });
  await env.resync();
  expect(await env.list(elasticsearch)).toHaveLength(1);
  const collector = JSON.stringify(await env.get(deployment, 'prod-collector'));
  expect(collector).toContain('--es.server-urls=https://shared:9200');
  expect(collector).toContain('--es.num-shards=5');
  expect(collector).toContain('"secretName":"jaeger-shared"');
});

test('on OpenShift, pods have its certificate authorities, and collectors a certificate', async () => {
  const env = await open();
  const storage = { type: 'grpc', options: { 'grpc-storage.server': 'storage:17271' } };
  const platform = 'openshift';
  const agent = { strategy: 'DaemonSet' };
  await env.apply(jaeger, { name: 'prod', spec: production(storage, { platform, agent }) });
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

  const agents = (await env.get(daemonSet, 'prod-agent-daemonset'))?.spec;
  expect(valueAt(agents, 'template', 'spec')).toMatchObject({
    containers: [
      {
        args: expect.arrayContaining([
          '--reporter.grpc.tls.enabled=true',
          '--reporter.grpc.tls.server-name=prod-collector-headless.default.svc.cluster.local',
        ]),
        volumeMounts: expect.arrayContaining([expect.objectContaining({ name: 'service-ca' })]),
      },
    ],
  });

  // OpenShift fills the bundle, which stays.
  const annotationsOf = async (name: string) =>
    valueAt((await env.get(deployment, name))?.spec, 'template', 'metadata', 'annotations');
  const [former, other] = [
    await annotationsOf('prod-query'),
    await annotationsOf('one-all-in-one'),
  ];
  await env.patch(configMap, 'prod-trusted-ca', { body: { data: { 'ca-bundle.crt': 'PEM' } } });
  await env.resync();
  expect((await env.get(configMap, 'prod-trusted-ca'))?.data).toEqual({ 'ca-bundle.crt': 'PEM' });
  expect(await annotationsOf('prod-query')).not.toEqual(former);
  expect(await annotationsOf('one-all-in-one')).toEqual(other);

  const volumes = [{ name: 'own', configMap: { name: 'own' } }];
  const volumeMountsOfOwn = [{ name: 'own', mountPath: mount.mountPath }];
  const spec = { volumes, volumeMounts: volumeMountsOfOwn };
  await env.patch(jaeger, 'prod', { body: { spec } });
  await env.resync();
  expect(await env.get(configMap, 'prod-trusted-ca')).toBeUndefined();
});
