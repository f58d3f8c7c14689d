import { since135 } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest, invalid } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { del, get, post } from '../requests.ts';

const { configMaps, gadgets } = paths;
const other = '7d0e7cc1-6e51-4c54-a1c5-3d9f5e4f1d11';
const json = { 'content-type': 'application/json' };
const yaml = { 'content-type': 'application/yaml' };

type Sent = readonly [body: unknown, headers?: Readonly<Record<string, string>>];

const make = (path: string): object => (path === gadgets ? gadget('x') : configMap('x'));
const deletes = (path: string, query: string, [body, headers]: Sent) => [
  { ...del(`${path}/x${query}`, body), ...(headers && { headers }) },
  { ...del(`${path}${query}`, body), ...(headers && { headers }) },
];

/** Deletes with a body that do not delete, and the answers. */
const leaves = (path: string, query: string, sent: Sent, expect: Step['expect']): Step[] => [
  { name: 'made', request: post(path, make(path)), expect: { status: 201 } },
  ...deletes(path, query, sent).map((request): Step => ({ request, expect })),
  { request: get(`${path}/x`), expect: { status: 200, version: { sameAs: 'made' } } },
  { request: del(`${path}/x`), expect: { status: 200 } },
];

/** Deletes with a body that do delete. */
const removes = (path: string, query: string, sent: Sent): Step[] =>
  deletes(path, query, sent).flatMap((request): Step[] => [
    { request: post(path, make(path)), expect: { status: 201 } },
    { request, expect: { status: 200 } },
    { request: get(`${path}/x`), expect: { status: 404 } },
  ]);

const both = (steps: (path: string) => readonly Step[]): Step[] => [
  ...steps(configMaps),
  ...steps(gadgets),
];

const wrongRun = (values: string) => ({
  status: 422,
  error: invalid('DeleteOptions.meta.k8s.io', '', [
    ['dryRun', `Unsupported value: ${values}: supported values: "All"`, 'FieldValueNotSupported'],
  ]),
});
const unreadable = (message: string | RegExp) => ({ status: 400, error: badRequest(message) });

export const cases: readonly ContractCase[] = [
  {
    id: 'instead-of-query',
    reason: 'with a body, an empty one too, the query is ignored: its dry run deletes',
    steps: both((path) =>
      [
        'dryRun=All',
        'dryRun=x',
        'propagationPolicy=x',
        'propagationPolicy=Orphan&orphanDependents=true',
        'gracePeriodSeconds=x',
        `uid=${other}`,
      ].flatMap((query) => removes(path, `?${query}`, [{}])),
    ),
  },
  {
    id: 'beside-query',
    reason: "the body's options count, and nothing is joined",
    steps: both((path) => [
      ...leaves(path, '?dryRun=x', [{ dryRun: ['All'] }], { status: 200 }),
      ...leaves(path, '?dryRun=All', [{ preconditions: { uid: other } }], { status: 409 }),
      ...removes(path, `?dryRun=All&uid=${other}`, [{ propagationPolicy: 'Background' }]),
    ]),
  },
  {
    id: 'list-query',
    reason: 'which objects of a collection are deleted is still in the query',
    steps: [
      {
        request: post(gadgets, gadget({ name: 'x', labels: { l: '1' } })),
        expect: { status: 201 },
      },
      { request: post(gadgets, gadget('y')), expect: { status: 201 } },
      { request: del(`${gadgets}?labelSelector=l&dryRun=All`, {}), expect: { status: 200 } },
      {
        request: get(gadgets),
        expect: { status: 200, body: { items: [{ metadata: { name: 'y' } }] } },
      },
      { request: del(`${gadgets}?limit=x`, {}), expect: { status: 400 } },
    ],
  },
  {
    id: 'dry-run',
    reason: 'the values of dryRun in a body',
    steps: both((path) => [
      ...leaves(path, '', [{ dryRun: ['All'] }], { status: 200 }),
      ...leaves(path, '', [{ dryRun: ['All', 'All'] }], { status: 200 }),
      ...leaves(path, '', ['dryRun: [All]', yaml], { status: 200 }),
      ...leaves(path, '', [{ dryRun: ['x'] }], wrongRun('["x"]')),
      ...leaves(path, '', [{ dryRun: [''] }], wrongRun('[""]')),
      ...leaves(path, '', [{ dryRun: ['All', null] }], wrongRun('["All",""]')),
      ...removes(path, '', [{ dryRun: [] }]),
      ...removes(path, '', [{ dryRun: null }]),
      ...removes(path, '', [{ DryRun: ['All'] }]),
    ]),
  },
  {
    id: 'read-as-nothing',
    reason: 'a body that says nothing is one all the same',
    steps: both((path) => [
      ...removes(path, '?dryRun=All', ['null', json]),
      ...removes(path, '?dryRun=All', [' ', yaml]),
      ...removes(path, '?dryRun=All', [{ kind: '', apiVersion: '' }]),
      ...removes(path, '?dryRun=All', [{ kind: null, apiVersion: null }]),
      ...removes(path, '?dryRun=All', [{ unknown: 1, preconditions: { uid: null, unknown: 2 } }]),
      ...removes(path, '?dryRun=All', [{ ignoreStoreReadErrorWithClusterBreakingPotential: true }]),
      // An empty body counts as none.
      ...leaves(path, '?dryRun=All', ['', json], { status: 200 }),
    ]),
  },
  {
    id: 'unreadable',
    reason: 'a body that cannot be read deletes nothing',
    steps: (
      [
        [' ', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
        ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
        [{ apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
        [
          { apiVersion: 1 },
          "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string",
        ],
        [
          { kind: 1 },
          "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
        ],
        [{ kind: 'Status', apiVersion: 'v1' }, /./],
        [{ kind: 'ConfigMap', apiVersion: 'v1' }, /./],
        [
          { dryRun: 'All' },
          'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string',
        ],
        [
          { dryRun: [1] },
          'json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string',
        ],
        [
          { ignoreStoreReadErrorWithClusterBreakingPotential: 'x' },
          'json: cannot unmarshal string into Go struct field DeleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential of type bool',
        ],
        ['{"gracePeriodSeconds":1.0}', /gracePeriodSeconds of type int64$/],
        ['{"gracePeriodSeconds":1e1}', /gracePeriodSeconds of type int64$/],
      ] as const
    ).flatMap(([body, message]) =>
      both((path) =>
        leaves(path, '', [body, json], unreadable(message)).map((step) =>
          step.request.method === 'DELETE' && step.request.body !== undefined
            ? { ...step, since: since135.deleteOptions }
            : step,
        ),
      ),
    ),
  },
  {
    id: 'partly-deleted',
    reason: 'a collection whose deletion fails at one object has lost those before it',
    steps: [
      { name: 'made', request: post(gadgets, gadget('x')), expect: { status: 201 } },
      { request: post(gadgets, gadget('y')), expect: { status: 201 } },
      {
        request: del(gadgets, { preconditions: { uid: '{made.metadata.uid}' } }),
        expect: { status: 409 },
      },
      {
        eventually: true,
        request: get(gadgets),
        expect: { status: 200, body: { items: [{ metadata: { name: 'y' } }] } },
      },
    ],
  },
];
