import type { ContractCase } from '../contract-case.ts';
import { configMap, gadget, paths, service } from '../objects.ts';
import { apply, get, mergePatch, ours, post, put } from '../requests.ts';

const dryRun = { dryRun: 'All' };
const x = `${paths.configMaps}/x`;
const g = `${paths.gadgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'create',
    reason: 'a dry-run create answers as if real, and stores nothing',
    steps: [
      {
        request: post(paths.gadgets, gadget('x'), dryRun),
        expect: {
          status: 201,
          body: {
            metadata: { uid: /./, resourceVersion: undefined, generation: 1 },
            spec: { size: 1 },
          },
        },
      },
      { request: get(g), expect: { status: 404 } },
      {
        request: apply(x, configMap('x'), { ...ours, ...dryRun }),
        expect: { status: 201, body: { metadata: { resourceVersion: undefined } } },
      },
      { request: get(x), expect: { status: 404 } },
    ],
  },
  {
    id: 'update',
    reason: 'a dry-run update shows the new object at the old version',
    steps: [
      { name: 'made', request: apply(g, gadget('x')), expect: { status: 201 } },
      {
        request: apply(g, gadget('x', { size: 2 }), { ...ours, ...dryRun }),
        expect: {
          status: 200,
          version: { sameAs: 'made' },
          body: { metadata: { generation: 2 }, spec: { size: 2 } },
        },
      },
      {
        request: mergePatch(g, { spec: { size: 3 } }, dryRun),
        expect: { status: 200, version: { sameAs: 'made' }, body: { spec: { size: 3 } } },
      },
      {
        request: put(
          g,
          gadget({ name: 'x', resourceVersion: '{made.metadata.resourceVersion}' }, { size: 4 }),
          dryRun,
        ),
        expect: { status: 200, version: { sameAs: 'made' }, body: { spec: { size: 4 } } },
      },
      {
        request: get(g),
        expect: { status: 200, version: { sameAs: 'made' }, body: { spec: { size: 1 } } },
      },
    ],
  },
  {
    id: 'checks',
    reason: 'a dry run is validated like any other write',
    steps: [
      { request: post(paths.gadgets, gadget('x', { size: 99 }), dryRun), expect: { status: 422 } },
      {
        request: post(paths.gadgets, gadget('x'), { dryRun: 'Some' }),
        expect: {
          status: 422,
          error: {
            message:
              'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'CreateOptions',
              causes: [
                {
                  reason: 'FieldValueNotSupported',
                  message: 'Unsupported value: ["Some"]: supported values: "All"',
                  field: 'dryRun',
                },
              ],
            },
          },
        },
      },
      { request: post(paths.configMaps, configMap('x')), expect: { status: 201 } },
      { request: post(paths.configMaps, configMap('x'), dryRun), expect: { status: 409 } },
    ],
  },
  {
    id: 'allocation',
    reason: 'a dry run allocates no address and no port',
    steps: [
      {
        request: post(
          paths.services,
          service('x', { type: 'NodePort', ports: [{ port: 80, nodePort: 30010 }] }),
          dryRun,
        ),
        expect: { status: 201, body: { spec: { ports: [{ nodePort: 30010 }] } } },
      },
      {
        request: post(
          paths.services,
          service('x', { type: 'NodePort', ports: [{ port: 80, nodePort: 30010 }] }),
        ),
        expect: { status: 201 },
      },
    ],
  },
  {
    id: 'allocated-values',
    reason: 'a dry run fills in the same address, and ports above the range, every time',
    steps: [
      ...['one', 'two'].map((name) => ({
        request: post(
          paths.services,
          service(name, {
            type: 'NodePort',
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 81 },
            ],
          }),
          dryRun,
        ),
        expect: {
          status: 201,
          body: {
            spec: {
              clusterIP: '10.96.0.0',
              clusterIPs: ['10.96.0.0'],
              ports: [{ nodePort: 32769 }, { nodePort: 32770 }],
            },
          },
        },
      })),
      {
        request: post(
          paths.services,
          service('x', {
            type: 'NodePort',
            ports: [
              { name: 'a', port: 80, nodePort: 30011 },
              { name: 'b', port: 81 },
            ],
          }),
          dryRun,
        ),
        expect: {
          status: 201,
          body: { spec: { ports: [{ nodePort: 30011 }, { nodePort: 30012 }] } },
        },
      },
    ],
  },
  {
    id: 'allocated-in-updates',
    reason: 'a dry run of an update fills in values only if the Service has none',
    steps: [
      {
        name: 'made',
        request: apply(`${paths.services}/x`, service('x', { ports: [{ port: 80 }] })),
        expect: { status: 201 },
      },
      {
        request: mergePatch(`${paths.services}/x`, { spec: { type: 'NodePort' } }, dryRun),
        expect: {
          status: 200,
          body: { spec: { clusterIP: '{made.spec.clusterIP}', ports: [{ nodePort: 32769 }] } },
        },
      },
    ],
  },
];
