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
];
