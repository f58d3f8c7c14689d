import type { ContractCase } from '../contract-case.ts';
import { get } from '../requests.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface Discovered {
  readonly kind: string;
  readonly plural: string;
  readonly clusterWide?: true;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly status?: true;
}

/** The complete discovery of a group, by its path. */
const groups: Readonly<Record<string, readonly Discovered[]>> = {
  'batch/v1': [
    { kind: 'CronJob', plural: 'cronjobs', shortNames: ['cj'], categories: ['all'], status: true },
    { kind: 'Job', plural: 'jobs', categories: ['all'], status: true },
  ],
  'policy/v1': [
    {
      kind: 'PodDisruptionBudget',
      plural: 'poddisruptionbudgets',
      shortNames: ['pdb'],
      status: true,
    },
  ],
  'scheduling.k8s.io/v1': [
    { kind: 'PriorityClass', plural: 'priorityclasses', clusterWide: true, shortNames: ['pc'] },
  ],
  'discovery.k8s.io/v1': [{ kind: 'EndpointSlice', plural: 'endpointslices' }],
  'node.k8s.io/v1': [{ kind: 'RuntimeClass', plural: 'runtimeclasses', clusterWide: true }],
  'networking.k8s.io/v1': [
    { kind: 'IngressClass', plural: 'ingressclasses', clusterWide: true },
    { kind: 'Ingress', plural: 'ingresses', shortNames: ['ing'], status: true },
    { kind: 'IPAddress', plural: 'ipaddresses', clusterWide: true, shortNames: ['ip'] },
    { kind: 'NetworkPolicy', plural: 'networkpolicies', shortNames: ['netpol'] },
    { kind: 'ServiceCIDR', plural: 'servicecidrs', clusterWide: true, status: true },
  ],
  'storage.k8s.io/v1': [
    { kind: 'CSIDriver', plural: 'csidrivers', clusterWide: true },
    { kind: 'CSINode', plural: 'csinodes', clusterWide: true },
    { kind: 'CSIStorageCapacity', plural: 'csistoragecapacities' },
    { kind: 'StorageClass', plural: 'storageclasses', clusterWide: true, shortNames: ['sc'] },
    { kind: 'VolumeAttachment', plural: 'volumeattachments', clusterWide: true, status: true },
    {
      kind: 'VolumeAttributesClass',
      plural: 'volumeattributesclasses',
      clusterWide: true,
      shortNames: ['vac'],
    },
  ],
};

function entriesOf({ kind, plural, status, ...more }: Discovered): object[] {
  const { clusterWide, shortNames, categories } = more;
  const namespaced = clusterWide !== true;
  const singularName = kind.toLowerCase();
  return [
    { name: plural, singularName, namespaced, kind, verbs, shortNames, categories },
    ...(status
      ? [
          {
            name: `${plural}/status`,
            singularName: '',
            namespaced,
            kind,
            verbs: ['get', 'patch', 'update'],
          },
        ]
      : []),
  ];
}

const documentPath = '/openapi/v3/apis/batch/v1';

export const cases: readonly ContractCase[] = [
  ...Object.entries(groups).map(([groupVersion, kinds]) => ({
    id: groupVersion.replaceAll(/[./]/g, '-'),
    reason: 'discovery lists every kind of a group, with its short names and its status',
    steps: [
      {
        request: get(`/apis/${groupVersion}`),
        expect: {
          status: 200,
          body: {
            kind: 'APIResourceList',
            groupVersion,
            resources: kinds.flatMap(entriesOf),
          },
        },
      },
    ],
  })),
  {
    id: 'openapi',
    reason: 'kubectl explain and apply read the schema of a Job where it is',
    steps: [
      {
        request: get('/openapi/v3'),
        expect: {
          status: 200,
          body: { paths: { 'apis/batch/v1': { serverRelativeURL: /\?hash=/ } } },
        },
      },
      {
        request: get(documentPath),
        expect: {
          status: 200,
          body: {
            components: {
              schemas: {
                'io.k8s.api.batch.v1.Job': {
                  'x-kubernetes-group-version-kind': [
                    { group: 'batch', kind: 'Job', version: 'v1' },
                  ],
                },
                'io.k8s.api.batch.v1.JobSpec': {
                  required: ['template'],
                  properties: { backoffLimit: { type: 'integer', format: 'int32' } },
                },
              },
            },
            paths: {
              '/apis/batch/v1/namespaces/{namespace}/jobs/{name}': {
                patch: {
                  'x-kubernetes-group-version-kind': { group: 'batch', kind: 'Job', version: 'v1' },
                },
              },
              '/apis/batch/v1/namespaces/{namespace}/jobs/{name}/status': {},
            },
          },
        },
      },
    ],
  },
];
