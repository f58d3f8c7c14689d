import type { ContractCase } from '../contract-case.ts';
import { configMap, deployment, paths, service } from '../objects.ts';
import { apply, post, strategicPatch } from '../requests.ts';

const x = `${paths.configMaps}/x`;
const d = `${paths.deployments}/x`;

/** The message quotes the whole object before the error. */

export const cases: readonly ContractCase[] = [
  {
    id: 'strategic',
    reason: 'a strategic merge patch merges keyed lists by their key',
    steps: [
      { request: apply(d, deployment('x')), expect: { status: 201 } },
      {
        request: strategicPatch(d, {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'web', image: 'nginx:2', env: [{ name: 'A', value: '1' }] },
                  { name: 'side', image: 'side:1' },
                ],
              },
            },
          },
        }),
        expect: {
          status: 200,
          body: {
            spec: {
              template: {
                spec: { containers: [{ name: 'web', image: 'nginx:2' }, { name: 'side' }] },
              },
            },
          },
        },
      },
      {
        request: strategicPatch(d, {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'side', $patch: 'delete' },
                  { name: 'web', env: [{ name: 'B', value: '2' }] },
                ],
              },
            },
          },
        }),
        expect: {
          status: 200,
          body: {
            spec: {
              template: {
                spec: {
                  containers: [
                    { name: 'web', image: 'nginx:2', env: [{ name: 'B' }, { name: 'A' }] },
                  ],
                },
              },
            },
          },
        },
      },
      {
        request: strategicPatch(d, {
          spec: {
            strategy: { $retainKeys: ['type'], type: 'Recreate' },
            template: {
              spec: { containers: [{ $patch: 'replace' }, { name: 'new', image: 'new:1' }] },
            },
          },
        }),
        expect: {
          status: 200,
          at: { 'spec.strategy': { type: 'Recreate' } },
          body: { spec: { template: { spec: { containers: [{ name: 'new' }] } } } },
        },
      },
    ],
  },
  {
    id: 'strategic-service',
    reason: 'the ports of a Service are merged by their number',
    steps: [
      { request: post(paths.services, service('x')), expect: { status: 201 } },
      {
        request: strategicPatch(`${paths.services}/x`, {
          spec: {
            ports: [
              { port: 80, name: 'web' },
              { port: 81, name: 'admin' },
            ],
          },
        }),
        expect: {
          status: 200,
          at: {
            'spec.ports': [
              { name: 'web', protocol: 'TCP', port: 80, targetPort: 80 },
              { name: 'admin', protocol: 'TCP', port: 81, targetPort: 81 },
            ],
          },
        },
      },
      {
        request: strategicPatch(`${paths.services}/x`, {
          spec: { selector: null, ports: [{ port: 81, $patch: 'delete' }] },
        }),
        expect: { status: 200, body: { spec: { selector: undefined, ports: [{ port: 80 }] } } },
      },
    ],
  },
  {
    id: 'strategic-primitive',
    reason: 'finalizers are merged and deleted as a set',
    steps: [
      {
        request: post(paths.configMaps, configMap({ name: 'x', finalizers: ['e.com/a'] })),
        expect: { status: 201 },
      },
      {
        request: strategicPatch(x, { metadata: { finalizers: ['e.com/b'] } }),
        expect: { status: 200, at: { 'metadata.finalizers': ['e.com/b', 'e.com/a'] } },
      },
      {
        request: strategicPatch(x, {
          metadata: { '$deleteFromPrimitiveList/finalizers': ['e.com/a'] },
        }),
        expect: { status: 200, at: { 'metadata.finalizers': ['e.com/b'] } },
      },
    ],
  },
];
