import { daemonSet, ingress, service } from 'serverless-reconciler';
import { expect, test, vi } from 'vitest';
import { valueAt } from '../../../shared/json.ts';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { open, production, remote } from './fixtures.ts';
import { jaeger } from './jaeger.ts';

vi.setConfig({ testTimeout: 60_000 });

const backend = { service: { name: 'prod-query', port: { name: 'http-query' } } };
const hosts = ['a.example.org', 'b.example.org'];
const http = (item: object) => ({ paths: [{ ...item, backend }] });
const anyPath = http({ pathType: 'ImplementationSpecific' });
const below = { 'query.base-path': '/jaeger' };

test.each<[string, JsonObject, JsonObject, object]>([
  ['is the default backend', {}, {}, { defaultBackend: backend }],
  [
    'is behind each host, at any path,',
    { hosts },
    {},
    { rules: hosts.map((host) => ({ host, http: anyPath })) },
  ],
  [
    'is behind the base path of queries, in a rule',
    {},
    below,
    { rules: [{ http: http({ path: '/jaeger', pathType: 'ImplementationSpecific' }) }] },
  ],
  [
    'is behind a host and the base path, with a type of path,',
    { hosts: hosts.slice(1), pathType: 'Exact' },
    below,
    { rules: [{ host: hosts[1], http: http({ path: '/jaeger', pathType: 'Exact' }) }] },
  ],
  [
    'is at the root, if a type of path needs one, in a rule',
    { hosts: hosts.slice(1), pathType: 'Prefix' },
    {},
    { rules: [{ host: hosts[1], http: http({ path: '/', pathType: 'Prefix' }) }] },
  ],
])(
  'the page %s of its Ingress, and edits lead there and back',
  async (_, given, options, expected) => {
    const env = await open();
    const specOf = (given: JsonObject, options: JsonObject) =>
      production(remote, { ingress: given, query: { options } });
    const specAfter = async (spec: JsonObject) => {
      await env.apply(jaeger, { name: 'prod', spec });
      await env.resync();
      return (await env.get(ingress, 'prod-query'))?.spec;
    };
    const made = await specAfter(specOf(given, options));
    expect(made).toEqual(expected);
    for (const other of [specOf({}, {}), specOf({ hosts }, below)]) {
      await specAfter(other);
      expect(await specAfter(specOf(given, options))).toEqual(made);
    }
  },
);

test.each<[string, JsonObject, readonly string[]]>([
  ['of HTTP and gRPC', {}, ['grpc-otlp', 'http-otlp', 'grpc-jaeger']],
  [
    'of TLS if collectors require it',
    { 'collector.grpc.tls.enabled': true },
    ['grpc-otlp', 'http-otlp', 'tls-grpc-jaeger'],
  ],
  ['of no OTLP that is off', { 'collector.otlp.enabled': false }, ['grpc-jaeger']],
])('ports of Services have the names that a mesh knows, %s', async (_, options, receiving) => {
  const env = await open();
  const agent = { strategy: 'DaemonSet' };
  await env.apply(jaeger, {
    name: 'prod',
    spec: production(remote, { collector: { options }, agent }),
  });
  await env.resync();
  const namesOf = async (name: string) => {
    const ports = valueAt((await env.get(service, name))?.spec, 'ports');
    return (ports as readonly { readonly name: string }[]).map((one) => one.name);
  };
  const received = [...receiving, 'http-c-tchan-trft', 'http-c-binary-trft', 'http-zipkin'];
  for (const name of ['prod-collector', 'prod-collector-headless'])
    expect(await namesOf(name)).toEqual([...received, 'admin-http']);
  expect(await namesOf('prod-query')).toEqual(['http-query', 'grpc-query', 'admin-http']);
  expect(await namesOf('prod-agent')).toEqual([
    'zk-compact-trft',
    'http-config-rest',
    'jg-compact-trft',
    'jg-binary-trft',
    'admin-http',
  ]);
});

test('agents run on each node, and find the collectors', async () => {
  const env = await open();
  const agent = {
    strategy: 'DaemonSet',
    hostNetwork: true,
    options: { 'processor.jaeger-compact.server-host-port': ':7831', 'log-level': 'debug' },
    tolerations: [{ operator: 'Exists' }],
  };
  await env.apply(jaeger, { name: 'prod', spec: production(remote, { agent }) });
  await env.resync();
  const compact = { containerPort: 7831, hostPort: 7831, protocol: 'UDP' };
  expect((await env.get(daemonSet, 'prod-agent-daemonset'))?.spec).toMatchObject({
    template: {
      spec: {
        hostNetwork: true,
        dnsPolicy: 'ClusterFirstWithHostNet',
        tolerations: agent.tolerations,
        containers: [
          {
            image: 'jaegertracing/jaeger-agent:1.62.0',
            args: [
              '--log-level=debug',
              '--processor.jaeger-compact.server-host-port=:7831',
              '--reporter.grpc.host-port=dns:///prod-collector-headless.default.svc:14250',
            ],
            ports: expect.arrayContaining([expect.objectContaining(compact)]),
          },
        ],
      },
    },
  });
  expect((await env.get(service, 'prod-agent'))?.spec).toMatchObject({
    clusterIP: 'None',
    selector: { 'app.kubernetes.io/component': 'agent' },
  });

  await env.patch(jaeger, 'prod', { body: { spec: { agent: { strategy: 'Sidecar' } } } });
  await env.resync();
  expect(await env.get(daemonSet, 'prod-agent-daemonset')).toBeUndefined();
  expect(await env.get(service, 'prod-agent')).toBeUndefined();
});
