import { expectConverged, expectReliable } from 'serverless-reconciler/testing';
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../shared/kubernetes.ts';
import { isWhole } from '../../properties/runs.ts';
import { given, production } from './fixtures.ts';
import { jaeger } from './jaeger.ts';
import { passedOn } from './spec.ts';

vi.setConfig({ testTimeout: 400_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

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
    { platform: 'openshift', agent: { strategy: 'DaemonSet' } },
    [
      /^DaemonSet prod-agent-daemonset/,
      /^Route prod/,
      /^Secret prod-ui-proxy-session/,
      /^ServiceAccount prod-ui-proxy/,
    ],
  ],
];

test.each(isWhole ? all : all.slice(0, 1))(
  'expectConverged accepts a Jaeger %s',
  async (_, spec, made) => {
    const { children } = await expectConverged(jaeger, { given, resource: { name: 'prod', spec } });
    for (const one of made) expect(children).toContainEqual(expect.stringMatching(one));
  },
);

test('no spec of a Jaeger breaks a law', async () => {
  await expectReliable(jaeger, { given, passedOn, ...search });
});
