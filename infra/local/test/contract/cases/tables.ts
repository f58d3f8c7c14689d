import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, gadget, gadgetStatus, paths, service, website, zone } from '../objects.ts';
import { apply, get, post } from '../requests.ts';

const accept =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const table = (path: string, query: Record<string, string> = {}) => ({
  ...get(path, query),
  headers: { accept },
});
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

/** The name of a column, its type if that is not string, and the mark for wide tables. */
const columns: Readonly<Record<string, readonly string[]>> = {
  [paths.configMaps]: ['Name', 'Data', 'Age'],
  [paths.secrets]: ['Name', 'Type', 'Data', 'Age'],
  [paths.deployments]: [
    ...['Name', 'Ready', 'Up-to-date', 'Available', 'Age'],
    ...['Containers:string:wide', 'Images:string:wide', 'Selector:string:wide'],
  ],
  [paths.replicaSets]: [
    ...['Name', 'Desired:integer', 'Current:integer', 'Ready:integer', 'Age'],
    ...['Containers:string:wide', 'Images:string:wide', 'Selector:string:wide'],
  ],
  [paths.autoscalers]: ['Name', 'Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas', 'Age'],
  [paths.pods]: [
    ...['Name', 'Ready', 'Status', 'Restarts', 'Age', 'IP:string:wide', 'Node:string:wide'],
    ...['Nominated Node:string:wide', 'Readiness Gates:string:wide'],
  ],
  [paths.events]: [
    ...['Last Seen', 'Type', 'Reason', 'Object', 'Subobject:string:wide', 'Source:string:wide'],
    ...['Message', 'First Seen:string:wide', 'Count:string:wide', 'Name:string:wide'],
  ],
  '/api/v1/serviceaccounts': ['Name', 'Age'],
  '/apis/rbac.authorization.k8s.io/v1/roles': ['Name', 'Created At:date'],
  [paths.definitions]: ['Name', 'Created At:date'],
};

export const cases: readonly ContractCase[] = [
  {
    id: 'printer-columns',
    reason: 'kubectl get shows the columns a definition declares',
    steps: [
      {
        request: post(paths.gadgets, gadget('x', { size: 3, owner: 'me' })),
        expect: { status: 201 },
      },
      {
        request: apply(`${paths.gadgets}/x/status`, gadgetStatus('x', ready)),
        expect: { status: 200 },
      },
      {
        request: table(paths.gadgets),
        expect: {
          status: 200,
          body: {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { resourceVersion: /^\d+$/ },
            rows: [
              {
                cells: ['x', 3, 'True', 'me', /^\d+s$/],
                object: {
                  kind: 'PartialObjectMetadata',
                  apiVersion: 'meta.k8s.io/v1',
                  metadata: { name: 'x' },
                },
              },
            ],
          },
          at: {
            columnDefinitions: [
              {
                name: 'Name',
                type: 'string',
                format: 'name',
                description:
                  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
                priority: 0,
              },
              { name: 'Size', type: 'integer', format: '', description: 'how big', priority: 0 },
              {
                name: 'Ready',
                type: 'string',
                format: '',
                description:
                  'Custom resource definition column (in JSONPath format): .status.conditions[?(@.type=="Ready")].status',
                priority: 0,
              },
              {
                name: 'Owner',
                type: 'string',
                format: '',
                description: 'Custom resource definition column (in JSONPath format): .spec.owner',
                priority: 1,
              },
              {
                name: 'Age',
                type: 'date',
                format: '',
                description:
                  'Custom resource definition column (in JSONPath format): .metadata.creationTimestamp',
                priority: 0,
              },
            ],
          },
        },
      },
      {
        request: table(`${paths.gadgets}/x`),
        expect: {
          status: 200,
          body: { kind: 'Table', rows: [{ cells: ['x', 3, 'True', 'me', /s$/] }] },
        },
      },
    ],
  },
  {
    id: 'default-columns',
    reason: 'without declared columns name and age are shown',
    steps: [
      { request: post(paths.websites, website('x')), expect: { status: 201 } },
      {
        request: table(paths.websites),
        expect: {
          status: 200,
          body: { rows: [{ cells: ['x', /s$/] }] },
          at: {
            columnDefinitions: [
              {
                name: 'Name',
                type: 'string',
                format: 'name',
                description:
                  'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
                priority: 0,
              },
              {
                name: 'Age',
                type: 'date',
                format: '',
                description:
                  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
                priority: 0,
              },
            ],
          },
        },
      },
    ],
  },
  {
    id: 'missing-values',
    reason: 'a value that is not there is an empty cell',
    steps: [
      { request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: table(paths.gadgets),
        expect: { status: 200, body: { rows: [{ cells: ['x', 1, null, null, /s$/] }] } },
      },
    ],
  },
  {
    id: 'no-objects',
    reason: 'a table may omit the objects',
    steps: [
      { request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: table(paths.gadgets, { includeObject: 'None' }),
        expect: {
          status: 200,
          body: { rows: [{ cells: ['x', 1, null, null, /s$/], object: null }] },
        },
      },
      {
        request: table(paths.gadgets, { includeObject: 'Object' }),
        expect: {
          status: 200,
          body: { rows: [{ object: { kind: 'Gadget', spec: { size: 1 } } }] },
        },
      },
      {
        request: table(paths.gadgets, { includeObject: 'Bogus' }),
        expect: {
          status: 400,
          error: badRequest(
            "Unable to convert to Table as requested: includeObject: Invalid value: \"Bogus\": must be 'Metadata', 'Object', 'None', or empty",
          ),
        },
      },
    ],
  },
  {
    id: 'built-ins',
    reason: 'built-in kinds have columns of their own',
    steps: [
      {
        request: post(paths.configMaps, configMap('x', { a: '1', b: '2' })),
        expect: { status: 201 },
      },
      {
        request: table(`${paths.configMaps}/x`),
        expect: { status: 200, body: { rows: [{ cells: ['x', 2, /s$/] }] } },
      },
      { name: 'service', request: post(paths.services, service('x')), expect: { status: 201 } },
      {
        request: table(`${paths.services}/x`),
        expect: {
          status: 200,
          body: {
            rows: [
              {
                cells: [
                  'x',
                  'ClusterIP',
                  '{service.spec.clusterIP}',
                  '<none>',
                  '80/TCP',
                  /s$/,
                  'app=web',
                ],
              },
            ],
          },
        },
      },
    ],
  },
  {
    id: 'watched',
    reason: 'kubectl get --watch reads tables too',
    steps: [
      { request: post(paths.zones, zone('{ns}')), expect: { status: 201 } },
      {
        request: table(paths.zones, { watch: 'true', fieldSelector: 'metadata.name={ns}' }),
        expect: {
          status: 200,
          events: [{ type: 'ADDED', object: { kind: 'Table', rows: [{ cells: ['{ns}', /./] }] } }],
        },
      },
    ],
  },
  {
    id: 'watched-whole',
    reason: 'only the first table of a watch names its columns, and bookmarks are tables as well',
    steps: [
      ...['a', 'b'].map((name) => ({
        request: post(paths.gadgets, gadget(name)),
        expect: { status: 201 },
      })),
      {
        request: table(paths.gadgets, {
          watch: 'true',
          allowWatchBookmarks: 'true',
          sendInitialEvents: 'true',
          resourceVersionMatch: 'NotOlderThan',
          labelSelector: 'none=such',
        }),
        expect: {
          status: 200,
          events: [
            {
              type: 'BOOKMARK',
              object: {
                kind: 'Table',
                columnDefinitions: [{ name: 'Name' }, {}, {}, {}, {}],
                rows: [
                  {
                    cells: ['', null, null, null, null],
                    object: {
                      kind: 'PartialObjectMetadata',
                      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
                    },
                  },
                ],
              },
            },
          ],
        },
      },
      {
        request: table(paths.gadgets, { watch: 'true' }),
        expect: {
          status: 200,
          events: [
            {
              type: 'ADDED',
              object: { columnDefinitions: [{ name: 'Name' }, {}, {}, {}, {}], rows: [{}] },
            },
            { type: 'ADDED', object: { columnDefinitions: null, rows: [{}] } },
          ],
        },
      },
      {
        request: table(paths.gadgets, { watch: 'true', includeObject: 'Bogus' }),
        expect: { status: 400 },
      },
      {
        request: table(paths.gadgets),
        expect: { status: 200, body: { metadata: { continue: undefined }, rows: [{}, {}] } },
      },
    ],
  },
  {
    id: 'columns',
    reason: 'built-in kinds have these columns, of these types',
    steps: Object.entries(columns).map(([path, wanted]) => ({
      ...(path.endsWith('/serviceaccounts') ? { since: since135.serviceAccountColumns } : {}),
      request: table(path, { labelSelector: 'none=such' }),
      expect: {
        status: 200,
        body: {
          columnDefinitions: wanted.map((column) => {
            const [name, type = 'string', wide] = column.split(':');
            return { name, type, priority: wide === undefined ? 0 : 1 };
          }),
        },
      },
    })),
  },
];
