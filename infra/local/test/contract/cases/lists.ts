import type { ContractCase, Step } from '../contract-case.ts';
import { configMap, deployment, gadget, paths, zone } from '../objects.ts';
import { del, get, mergePatch, post } from '../requests.ts';

const clusterWide = '/apis/contract.example.com/v1/gadgets';
const label = { case: '{ns}' };
const named = (name: string) => ({ metadata: { name } });

const inNamespace = (namespace: string, name: string): Step => ({
  request: post(
    `/apis/contract.example.com/v1/namespaces/${namespace}/gadgets`,
    gadget({ name, labels: label }),
  ),
  expect: { status: 201 },
});

const namespace = (name: string): Step => ({
  request: post(paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  expect: { status: 201 },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'shape',
    reason: 'a list has its own version and names its kind',
    steps: [
      { name: 'made', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: get(paths.gadgets),
        expect: {
          status: 200,
          body: {
            kind: 'GadgetList',
            apiVersion: 'contract.example.com/v1',
            metadata: {
              resourceVersion: /^[1-9][0-9]*$/,
              continue: '',
              remainingItemCount: undefined,
            },
            items: [{ kind: 'Gadget', apiVersion: 'contract.example.com/v1', ...named('x') }],
          },
        },
      },
      { request: post(paths.deployments, deployment('x')), expect: { status: 201 } },
      {
        request: get(paths.deployments),
        expect: {
          status: 200,
          body: {
            kind: 'DeploymentList',
            apiVersion: 'apps/v1',
            metadata: { resourceVersion: /^[1-9][0-9]*$/, continue: undefined },
            items: [{ kind: undefined, apiVersion: undefined, ...named('x') }],
          },
        },
      },
    ],
  },
  {
    id: 'empty',
    reason: 'an empty list is a list',
    steps: [
      {
        request: get(paths.gadgets),
        expect: { status: 200, body: { kind: 'GadgetList' }, at: { items: [] } },
      },
      {
        request: get(paths.secrets),
        expect: { status: 200, body: { kind: 'SecretList' }, at: { items: [] } },
      },
      {
        request: get('/api/v1/namespaces/no-such-namespace/secrets'),
        expect: { status: 200, at: { items: [] } },
      },
    ],
  },
  {
    id: 'order',
    reason: 'lists are ordered bytewise by namespace/name, so a-b comes before a',
    steps: [
      namespace('{ns}-b'),
      inNamespace('{ns}', 'x1'),
      inNamespace('{ns}', 'x'),
      inNamespace('{ns}', 'x.1'),
      inNamespace('{ns}', 'x-1'),
      inNamespace('{ns}-b', 'a'),
      {
        request: get(clusterWide, { labelSelector: 'case={ns}' }),
        expect: {
          status: 200,
          body: {
            items: [
              { metadata: { namespace: '{ns}-b', name: 'a' } },
              { metadata: { namespace: '{ns}', name: 'x' } },
              { metadata: { namespace: '{ns}', name: 'x-1' } },
              { metadata: { namespace: '{ns}', name: 'x.1' } },
              { metadata: { namespace: '{ns}', name: 'x1' } },
            ],
          },
        },
      },
    ],
  },
  {
    id: 'fresh',
    reason: 'a list shows every write that has been answered',
    steps: [
      {
        request: post(paths.configMaps, configMap({ name: 'a', labels: label })),
        expect: { status: 201 },
      },
      {
        request: get(paths.configMaps, { labelSelector: 'case={ns}' }),
        expect: { status: 200, body: { items: [named('a')] } },
      },
      {
        request: mergePatch(`${paths.configMaps}/a`, { data: { a: '2' } }),
        expect: { status: 200 },
      },
      {
        request: get(paths.configMaps, { labelSelector: 'case={ns}' }),
        expect: { status: 200, body: { items: [{ data: { a: '2' } }] } },
      },
      { request: del(`${paths.configMaps}/a`), expect: { status: 200 } },
      {
        request: get(paths.configMaps, { labelSelector: 'case={ns}' }),
        expect: { status: 200, at: { items: [] } },
      },
    ],
  },
  {
    id: 'metadata-only',
    reason: 'a list may be reduced to metadata',
    steps: [
      {
        request: post(paths.gadgets, gadget({ name: 'x', labels: label })),
        expect: { status: 201 },
      },
      {
        request: {
          ...get(paths.gadgets),
          headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
        },
        expect: {
          status: 200,
          body: {
            kind: 'PartialObjectMetadataList',
            apiVersion: 'meta.k8s.io/v1',
            items: [{ metadata: { name: 'x', labels: label }, spec: undefined }],
          },
        },
      },
      {
        request: {
          ...get(`${paths.gadgets}/x`),
          headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
        },
        expect: {
          status: 200,
          body: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', spec: undefined },
        },
      },
    ],
  },
  {
    id: 'cluster-scoped',
    reason: 'cluster-scoped objects are ordered by name',
    steps: [
      {
        request: post(paths.zones, zone({ name: '{ns}.b', labels: label })),
        expect: { status: 201 },
      },
      {
        request: post(paths.zones, zone({ name: '{ns}-a', labels: label })),
        expect: { status: 201 },
      },
      {
        request: get(paths.zones, { labelSelector: 'case={ns}' }),
        expect: { status: 200, body: { items: [named('{ns}-a'), named('{ns}.b')] } },
      },
    ],
  },
];
