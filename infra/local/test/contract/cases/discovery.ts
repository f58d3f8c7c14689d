import { since136 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { get } from '../requests.ts';

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

const allVerbs = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

const subresource = (name: string, kind: string) => ({
  name,
  singularName: '',
  namespaced: true,
  kind,
  verbs: ['get', 'patch', 'update'],
});

export const cases: readonly ContractCase[] = [
  {
    id: 'core',
    reason: 'discovery starts at the root',
    steps: [
      {
        request: get('/api'),
        expect: { status: 200, body: { kind: 'APIVersions', versions: ['v1'] } },
      },
      {
        request: get('/api/v1'),
        expect: { status: 200, body: { kind: 'APIResourceList', groupVersion: 'v1' } },
      },
      {
        since: since136.version,
        request: get('/version'),
        expect: { status: 200, body: { major: '1', minor: '36', gitVersion: /^v1\.36\./ } },
      },
      { request: get('/readyz'), expect: { status: 200, text: 'ok' } },
      { request: get('/livez'), expect: { status: 200, text: 'ok' } },
      { request: get('/healthz'), expect: { status: 200, text: 'ok' } },
    ],
  },
  {
    id: 'group',
    reason: 'a group names its versions and the preferred one',
    steps: [
      {
        request: get('/apis/contract.example.com'),
        expect: {
          status: 200,
          body: { kind: 'APIGroup' },
          at: {
            name: 'contract.example.com',
            versions: [
              { groupVersion: 'contract.example.com/v1', version: 'v1' },
              { groupVersion: 'contract.example.com/v1alpha1', version: 'v1alpha1' },
            ],
            preferredVersion: { groupVersion: 'contract.example.com/v1', version: 'v1' },
          },
        },
      },
      {
        request: get('/apis/apps'),
        expect: {
          status: 200,
          at: {
            versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
            preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
          },
        },
      },
      {
        request: get('/apis/none.example.com'),
        expect: { status: 404, text: /^404 page not found/ },
      },
    ],
  },
  {
    id: 'resources',
    reason: 'a version names its resources, their short names, verbs and subresources',
    steps: [
      {
        request: get('/apis/contract.example.com/v1'),
        expect: {
          status: 200,
          body: {
            kind: 'APIResourceList',
            apiVersion: 'v1',
            groupVersion: 'contract.example.com/v1',
            resources: [
              {
                name: 'gadgets',
                singularName: 'gadget',
                namespaced: true,
                kind: 'Gadget',
                verbs: allVerbs,
                shortNames: ['gad'],
                categories: ['contract'],
              },
              { ...subresource('gadgets/status', 'Gadget'), group: undefined },
              { ...subresource('gadgets/scale', 'Scale'), group: 'autoscaling', version: 'v1' },
            ],
          },
        },
      },
      {
        request: get('/apis/cluster.example.com/v1'),
        expect: {
          status: 200,
          body: {
            resources: [
              {
                name: 'zones',
                singularName: 'zone',
                namespaced: false,
                kind: 'Zone',
                verbs: allVerbs,
                shortNames: undefined,
              },
            ],
          },
        },
      },
      {
        request: get('/apis/networking.k8s.io/v1'),
        expect: { status: 200, body: { kind: 'APIResourceList' } },
      },
    ],
  },
  {
    id: 'aggregated',
    reason: 'kubectl uses aggregated discovery and checks the content type of the response',
    steps: [
      {
        request: { ...get('/apis'), headers: { accept: aggregated } },
        expect: {
          status: 200,
          headers: {
            'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
          },
          body: { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' },
        },
      },
      {
        request: { ...get('/api'), headers: { accept: aggregated } },
        expect: {
          status: 200,
          body: {
            kind: 'APIGroupDiscoveryList',
            items: [{ versions: [{ version: 'v1', freshness: 'Current' }] }],
          },
          text: /"resource":"configmaps","responseKind":{"group":"","version":"","kind":"ConfigMap"}/,
        },
      },
    ],
  },
  {
    id: 'openapi',
    reason: 'kubectl explain and apply read the schema',
    steps: [
      {
        request: get('/openapi/v3'),
        expect: {
          status: 200,
          body: {
            paths: {
              'apis/contract.example.com/v1': {
                serverRelativeURL: /^\/openapi\/v3\/apis\/contract\.example\.com\/v1\?hash=/,
              },
              'api/v1': { serverRelativeURL: /./ },
              'apis/apps/v1': { serverRelativeURL: /./ },
            },
          },
        },
      },
      {
        request: get('/openapi/v3/apis/contract.example.com/v1'),
        expect: {
          status: 200,
          body: {
            openapi: /^3\./,
            paths: {
              '/apis/contract.example.com/v1/namespaces/{namespace}/gadgets/{name}': {
                patch: {
                  'x-kubernetes-group-version-kind': {
                    group: 'contract.example.com',
                    kind: 'Gadget',
                    version: 'v1',
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
];
