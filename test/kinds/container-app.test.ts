import { describe, expect, it } from 'vitest';
import { containerApp } from '../../systems/container-app.ts';
import { defaultSettings } from '../../systems/settings.ts';
import { casesOf } from '../support/cases.ts';
import { childOf, childrenOf, listed } from '../support/kinds.ts';

const kind = containerApp({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });
const children = (spec: object, over?: object) =>
  childrenOf(kind, { image: 'app:1', ...spec }, over);
const app = { app: 'shop-containerapp' };

describe('children of a ContainerApp', () => {
  it('has no Ingress if it is a private service', () => {
    const want = ['Service shop', 'Deployment shop', 'HorizontalPodAutoscaler shop'];
    expect(listed(children({}))).toEqual(want);
    expect(listed(children({ endpoints: [] }))).toEqual(want);
  });

  it('C-1 has a Service on its port', () => {
    expect(childOf(children({ port: 8080 }), 'Service').body).toEqual({
      spec: {
        type: 'ClusterIP',
        selector: app,
        ports: [{ name: 'http', port: 8080, protocol: 'TCP', targetPort: 'http' }],
      },
    });
  });

  it('G-5 has a Deployment that leaves the replicas to the autoscaler', () => {
    const deployment = childOf(children({ minReplicas: 3 }), 'Deployment');
    expect(deployment.handsOver).toEqual(['spec.replicas']);
    expect(deployment.body).toEqual({
      spec: {
        selector: { matchLabels: app },
        template: {
          metadata: { labels: app },
          spec: {
            containers: [
              {
                name: 'app',
                image: 'app:1',
                imagePullPolicy: 'IfNotPresent',
                ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
                resources: { requests: { cpu: '100m' } },
                lifecycle: { preStop: { sleep: { seconds: 15 } } },
              },
            ],
            affinity: {
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  {
                    weight: 100,
                    podAffinityTerm: {
                      labelSelector: { matchLabels: app },
                      topologyKey: 'kubernetes.io/hostname',
                    },
                  },
                ],
              },
            },
          },
        },
      },
    });
  });

  it.each([
    ['neither', {}, 1, 1],
    ['only the minimum', { minReplicas: 4 }, 4, 4],
    ['only the maximum', { maxReplicas: 4 }, 1, 4],
    ['both', { minReplicas: 2, maxReplicas: 4 }, 2, 4],
  ])('G-1 has an autoscaler with the right bounds given %s', (_, given, min, max) => {
    expect(childOf(children(given), 'HorizontalPodAutoscaler').body).toEqual({
      spec: {
        minReplicas: min,
        maxReplicas: max,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ],
      },
    });
  });
});

const endpoints = [{ path: '/' }, { path: '/a', scopes: ['u'] }];
const changes: Record<string, { reason: string; given: object; want: readonly string[] }> = {
  Image: { reason: 'only the pods change', given: { image: 'app:2' }, want: ['Deployment'] },
  Bounds: {
    reason: 'only the autoscaler changes',
    given: { minReplicas: 2, maxReplicas: 3 },
    want: ['HorizontalPodAutoscaler'],
  },
  Endpoints: {
    reason: 'only the Ingress of the group changes',
    given: { endpoints: [{ path: '/' }, { path: '/b', scopes: ['u'] }] },
    want: ['Ingress'],
  },
};

describe('a changed ContainerApp', () => {
  it.each(casesOf(changes))('G-1 %s', (_, { given, want }) => {
    const before = children({ endpoints });
    const after = children({ endpoints, ...given });
    expect(listed(after)).toEqual(listed(before));
    const changed = after.filter(
      (child, at) => JSON.stringify(child) !== JSON.stringify(before[at]),
    );
    expect(changed.map(({ type }) => type.kind)).toEqual(want);
  });
});

describe('names of a ContainerApp', () => {
  it('C-12 are legal and match each other', () => {
    const made = children({ endpoints: [{ path: '/' }] }, { name: `1.${'x'.repeat(100)}` });
    const names = Object.fromEntries(made.map(({ type, name }) => [type.kind, name]));
    expect(names).toEqual({
      Service: expect.stringMatching(/^x{52}-[0-9a-f]{10}$/),
      Deployment: expect.stringMatching(/^1\.x{50}-[0-9a-f]{10}$/),
      HorizontalPodAutoscaler: names.Deployment,
      Ingress: `1.${'x'.repeat(100)}-public`,
    });
    expect(JSON.stringify(childOf(made, 'Ingress').body)).toContain(`"name":"${names.Service}"`);
    expect(JSON.stringify(childOf(made, 'HorizontalPodAutoscaler').body)).toContain(
      `"name":"${names.Deployment}"`,
    );
  });

  it('C-12 select the pods of no other resource', () => {
    const selectorOf = (name: string) =>
      JSON.stringify(childOf(children({}, { name }), 'Service').body);
    expect(selectorOf('x')).not.toBe(selectorOf('x-containerapp'));
    expect(selectorOf(`${'x'.repeat(80)}a`)).not.toBe(selectorOf(`${'x'.repeat(80)}b`));
  });
});

describe('a ContainerApp', () => {
  it('G-7 C-9 refuses bounds that an older definition accepted', () => {
    const given = { ...endpoints, image: 'a', minReplicas: 3, maxReplicas: 2 };
    expect(
      kind.desired({
        name: 'a',
        namespace: 'b',
        uid: 'c',
        createdAt: '2026-01-01T00:00:00Z',
        spec: given,
      }),
    ).toEqual({
      invalid: 'spec.maxReplicas: max replicas must not be less than min replicas',
    });
  });

  it('has the same children with and without AUTH_URL', () => {
    const given = { image: 'app:1', endpoints };
    expect(listed(childrenOf(containerApp(defaultSettings), given))).toEqual(
      listed(childrenOf(kind, given)),
    );
  });
});
