import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest, invalid } from '../errors.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { apply, del, get, jsonPatch, mergePatch, post, put } from '../requests.ts';

const { configMaps, gadgets } = paths;
const many = (count: number): string => Array.from({ length: count }, () => 'a').join('&');

/** Queries from which Go's parser drops `dryRun`, so that the write is stored. */
const dropped = [
  'dryRun=%zz',
  'dryRun=All%',
  'dryRun=All;x',
  'x;dryRun=All',
  'dryRun%zz=All',
  'DRYRUN=All',
  '?dryRun=All',
  'x=1?dryRun=All',
];

/** Queries that Go's parser reads as a dry run. */
const kept = [
  'dryRun=All&dryRun=All',
  'dryRun=All&dryRun=%zz',
  'dryRun=All&dryRun=x;',
  'dryRun=A%6cl',
  'd%72yRun=All',
  'x=1;y&%zz=1&dryRun=All',
  '&&dryRun=All&&',
  'fieldManager=a?b&dryRun=All',
];

/** Queries with an unknown value. */
const refused: readonly (readonly [query: string, values: string])[] = [
  ['dryRun', '[""]'],
  ['dryRun=', '[""]'],
  ['dryRun=all', '["all"]'],
  ['dryRun=+All', '[" All"]'],
  ['dryRun=All%3Bx', '["All;x"]'],
  ['dryRun=All&dryRun=', '["All",""]'],
  ['dryRun=x&dryRun=All', '["x","All"]'],
  ['dryRun=%00', '["\\u0000"]'],
];

const missing = (path: string): Step => ({ request: get(path), expect: { status: 404 } });
const there = (path: string, body: object): Step => ({
  request: get(path),
  expect: { status: 200, body },
});

/** Each verb with a query, and the object before and after it. */
function writes(path: string, at: string, make: (name: string, value: number) => object) {
  const shown = (value: number) => ({ [at]: content(at, value) });
  return {
    stored: (query: string): Step[] => [
      { request: post(`${path}?${query}`, make('x', 1)), expect: { status: 201 } },
      { name: 'made', request: get(`${path}/x`), expect: { status: 200, body: shown(1) } },
      {
        request: put(`${path}/x?${query}`, {
          ...make('x', 2),
          metadata: { name: 'x', resourceVersion: '{made.metadata.resourceVersion}' },
        }),
        expect: { status: 200 },
      },
      there(`${path}/x`, shown(2)),
      { request: mergePatch(`${path}/x?${query}`, shown(3), {}), expect: { status: 200 } },
      there(`${path}/x`, shown(3)),
      {
        request: apply(`${path}/y?fieldManager=m&${query}`, make('y', 4), {}),
        expect: { status: 201 },
      },
      there(`${path}/y`, shown(4)),
      { request: del(`${path}/x?${query}`), expect: { status: 200 } },
      missing(`${path}/x`),
      {
        request: del(`${path}?fieldSelector=metadata.name%3Dy&${query}`),
        expect: { status: 200 },
      },
      missing(`${path}/y`),
    ],
    notStored: (query: string): Step[] => [
      { request: post(`${path}?${query}`, make('y', 1)), expect: { status: 201 } },
      missing(`${path}/y`),
      {
        request: put(`${path}/x?${query}`, {
          ...make('x', 2),
          metadata: { name: 'x', resourceVersion: '{made.metadata.resourceVersion}' },
        }),
        expect: { status: 200, body: shown(2) },
      },
      { request: mergePatch(`${path}/x?${query}`, shown(3), {}), expect: { status: 200 } },
      {
        request: apply(`${path}/x?force=true&fieldManager=m&${query}`, make('x', 4), {}),
        expect: { status: 200, body: shown(4) },
      },
      { request: del(`${path}/x?${query}`), expect: { status: 200 } },
      { request: del(`${path}?${query}`), expect: { status: 200 } },
      { request: get(`${path}/x`), expect: { status: 200, version: { sameAs: 'made' } } },
    ],
    refused: ([query, values]: (typeof refused)[number]): Step[] => {
      const unknown = (kind: string) => ({
        status: 422,
        error: invalid(`${kind}.meta.k8s.io`, '', [
          [
            'dryRun',
            `Unsupported value: ${values}: supported values: "All"`,
            'FieldValueNotSupported',
          ],
        ]),
      });
      return [
        { request: post(`${path}?${query}`, make('y', 1)), expect: unknown('CreateOptions') },
        { request: put(`${path}/x?${query}`, make('x', 1)), expect: unknown('UpdateOptions') },
        {
          request: mergePatch(`${path}/x?${query}`, shown(3), {}),
          expect: unknown('PatchOptions'),
        },
        {
          request: apply(`${path}/y?fieldManager=m&${query}`, make('y', 4), {}),
          expect: unknown('PatchOptions'),
        },
        { request: del(`${path}/x?${query}`), expect: unknown('DeleteOptions') },
        { request: del(`${path}?${query}`), expect: unknown('DeleteOptions') },
      ];
    },
  };
}

const content = (at: string, value: number): object =>
  at === 'data' ? { a: String(value) } : { size: value };

const kinds = [
  ['', writes(configMaps, 'data', (name, value) => configMap(name, { a: String(value) }))],
  ['-custom', writes(gadgets, 'spec', (name, size) => gadget(name, { size }))],
] as const;

const unknownOption = (kind: string, fields: Parameters<typeof invalid>[2]) => ({
  status: 422,
  error: invalid(`${kind}.meta.k8s.io`, '', fields),
});
const noSuchRun = [
  'dryRun',
  'Unsupported value: ["x"]: supported values: "All"',
  'FieldValueNotSupported',
] as const;
const noSuchManager = [
  'fieldManager',
  'Invalid value: "\\x00": invalid character U+0000 (at position 0)',
] as const;
const noSuchValidation = [
  'fieldValidation',
  'Unsupported value: "y": supported values: "", "Ignore", "Strict", "Warn"',
  'FieldValueNotSupported',
] as const;
const allWrong = 'fieldValidation=y&dryRun=x&fieldManager=%00';
const x = `${configMaps}/x`;

export const cases: readonly ContractCase[] = [
  ...kinds.flatMap(([suffix, { stored, notStored, refused: refuse }]): ContractCase[] => [
    {
      id: `dry-run-dropped${suffix}`,
      reason: 'a parameter that cannot be read is dropped, so a malformed dry run is stored',
      steps: dropped.flatMap(stored),
    },
    {
      id: `dry-run-kept${suffix}`,
      reason: 'what is malformed beside it leaves a dry run alone',
      steps: [
        {
          name: 'made',
          request: post(
            suffix === '' ? configMaps : gadgets,
            suffix === '' ? configMap('x') : gadget('x'),
          ),
          expect: { status: 201 },
        },
        ...kept.flatMap(notStored),
      ],
    },
    {
      id: `dry-run-refused${suffix}`,
      reason: 'any value but All is refused, beside All too',
      steps: refused.flatMap(refuse),
    },
  ]),
  {
    id: 'too-many',
    reason: 'a query of more than 10,000 parameters is ignored as a whole',
    steps: [
      {
        request: post(`${configMaps}?dryRun=All&${many(9_999)}`, configMap('x')),
        expect: { status: 201 },
      },
      missing(x),
      {
        request: post(`${configMaps}?dryRun=All&${many(10_000)}`, configMap('x')),
        expect: { status: 201 },
      },
      there(x, {}),
      { request: del(`${x}?dryRun=All&${many(9_999)}`), expect: { status: 200 } },
      there(x, {}),
      { request: del(`${x}?dryRun=All&${many(10_000)}`), expect: { status: 200 } },
      missing(x),
    ],
  },
  {
    id: 'scale',
    reason: 'the same for scale',
    steps: [
      { name: 'made', request: post(gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: mergePatch(`${gadgets}/x/scale?dryRun=A%6cl`, { spec: { replicas: 3 } }, {}),
        expect: { status: 200 },
      },
      { request: get(`${gadgets}/x`), expect: { status: 200, version: { sameAs: 'made' } } },
      {
        request: mergePatch(`${gadgets}/x/scale?dryRun=All;`, { spec: { replicas: 3 } }, {}),
        expect: { status: 200 },
      },
      there(`${gadgets}/x`, { spec: { size: 3 } }),
      {
        request: put(`${gadgets}/x/scale?dryRun=x`, 'no JSON'),
        expect: unknownOption('UpdateOptions', [noSuchRun]),
      },
    ],
  },
  {
    id: 'order',
    reason: 'options are refused together, the manager first',
    steps: [
      {
        request: post(`${configMaps}?${allWrong}`, configMap('x')),
        expect: unknownOption('CreateOptions', [noSuchManager, noSuchRun, noSuchValidation]),
      },
      {
        request: mergePatch(`${x}?${allWrong}&force`, {}, {}),
        expect: unknownOption('PatchOptions', [
          ['force', 'Forbidden: may not be specified for non-apply patch', 'FieldValueForbidden'],
          noSuchManager,
          noSuchRun,
          noSuchValidation,
        ]),
      },
      {
        request: apply(`${x}?dryRun=x`, configMap('x'), {}),
        expect: unknownOption('PatchOptions', [
          ['fieldManager', 'Required value: is required for apply patch', 'FieldValueRequired'],
          noSuchRun,
        ]),
      },
    ],
  },
  {
    id: 'first-one',
    reason: 'of a parameter given twice the first one counts, an empty one too',
    steps: [
      {
        request: post(`${configMaps}?fieldManager=a&fieldManager=b`, configMap('x')),
        expect: { status: 201, body: { metadata: { managedFields: [{ manager: 'a' }] } } },
      },
      {
        request: post(`${configMaps}?fieldManager=&fieldManager=b`, configMap('y')),
        expect: { status: 201, body: { metadata: { managedFields: [{ manager: 'contract' }] } } },
      },
      {
        request: post(`${configMaps}?fieldManager=a;b`, configMap('z')),
        expect: { status: 201, body: { metadata: { managedFields: [{ manager: 'contract' }] } } },
      },
      {
        request: mergePatch(
          `${x}?fieldManager=a+b&fieldValidation=Ignore&fieldValidation=x`,
          { data: { b: '1' } },
          {},
        ),
        expect: {
          status: 200,
          body: { metadata: { managedFields: [{ manager: 'a' }, { manager: 'a b' }] } },
        },
      },
      {
        request: apply(
          `${x}?fieldManager=m&force=false&force=true`,
          configMap('x', { a: '2' }),
          {},
        ),
        expect: { status: 409 },
      },
      {
        request: apply(`${x}?fieldManager=m&force=fal%C5%BFe`, configMap('x', { a: '2' }), {}),
        expect: { status: 409 },
      },
      {
        request: apply(`${x}?fieldManager=m&force=true;`, configMap('x', { a: '2' }), {}),
        expect: { status: 409 },
      },
      {
        request: apply(`${x}?fieldManager=m&force=&force=0`, configMap('x', { a: '2' }), {}),
        expect: { status: 200 },
      },
      {
        request: jsonPatch(`${x}?force=%zz`, [], {}),
        expect: { status: 200 },
      },
    ],
  },
  {
    id: 'manager-bytes',
    reason: "a manager's limit is in bytes, and what cannot be printed is quoted as Go does",
    steps: [
      {
        request: post(`${configMaps}?fieldManager=${'%C3%A9'.repeat(64)}`, configMap('x')),
        expect: { status: 201 },
      },
      {
        request: post(`${configMaps}?fieldManager=${'%C3%A9'.repeat(65)}`, configMap('y')),
        expect: unknownOption('CreateOptions', [
          ['fieldManager', 'Too long: may not be more than 128 bytes', 'FieldValueTooLong'],
        ]),
      },
      ...(
        [
          ['%C2%A0', '"\\u00a0": invalid character U+00A0'],
          ['%C2%85', '"\\u0085": invalid character U+0085'],
          ['%EE%80%80', '"\\ue000": invalid character U+E000'],
          ['%F0%9F%BF%BF', '"\\U0001ffff": invalid character U+1FFFF'],
          ['%7F', '"\\x7f": invalid character U+007F'],
        ] as const
      ).map(
        ([sent, quoted]): Step => ({
          request: post(`${configMaps}?fieldManager=${sent}`, configMap('y')),
          expect: unknownOption('CreateOptions', [
            ['fieldManager', `Invalid value: ${quoted} (at position 0)`],
          ]),
        }),
      ),
    ],
  },
  {
    id: 'user-agent',
    reason: 'the default manager is what of the user agent can be printed, at most 128 bytes',
    steps: [
      {
        request: { ...post(configMaps, configMap('x')), headers: { 'user-agent': 'a\u00a0b/1' } },
        expect: { status: 201, body: { metadata: { managedFields: [{ manager: /^a.?b$/ }] } } },
      },
      {
        request: {
          ...post(configMaps, configMap('y')),
          headers: { 'user-agent': 'm'.repeat(200) },
        },
        expect: {
          status: 201,
          body: { metadata: { managedFields: [{ manager: 'm'.repeat(128) }] } },
        },
      },
    ],
  },
  {
    id: 'delete-query',
    reason: 'a delete has neither a field manager nor field validation',
    steps: [
      { request: post(configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: del(`${x}?fieldManager=%00&fieldValidation=y&force=x`),
        expect: { status: 200 },
      },
      missing(x),
      { request: post(configMaps, configMap('x')), expect: { status: 201 } },
      {
        request: del(`${x}?orphanDependents=0&propagationPolicy=x&dryRun=y`),
        expect: unknownOption('DeleteOptions', [
          [
            'propagationPolicy',
            'Invalid value: "x": orphanDependents and deletionPropagation cannot be both set',
          ],
          [
            'propagationPolicy',
            'Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
            'FieldValueNotSupported',
          ],
          ['dryRun', 'Unsupported value: ["y"]: supported values: "All"', 'FieldValueNotSupported'],
        ]),
      },
      {
        request: del(`${x}?propagationPolicy=Orphan;&gracePeriodSeconds=%zz&uid=x;y`),
        expect: { status: 200, body: { kind: 'Status' } },
      },
      missing(x),
    ],
  },
  {
    id: 'reads',
    reason: 'the same rules hold for reads',
    steps: [
      {
        request: post(configMaps, configMap({ name: 'x', labels: { n: 'x' } })),
        expect: { status: 201 },
      },
      {
        request: post(configMaps, configMap({ name: 'y', labels: { n: 'y' } })),
        expect: { status: 201 },
      },
      ...(
        [
          ['labelSelector=n=x&labelSelector=n=y', ['x']],
          ['labelSelector=n+in+(y)', ['y']],
          ['labelSelector=n=x%00', ['x']],
          ['labelSelector=n=x%00,n=y', []],
          ['fieldSelector=metadata.name=y&fieldSelector=metadata.name=x', ['y']],
          ['labelSelector=n=x&limit=1;&limit=x;', ['x']],
          ['labelSelector=n&limit=%zz', ['x', 'y']],
          ['labelSelector=n=x?', undefined],
          ['labelSelector=n=x;&fieldSelector=metadata.name=y;&labelSelector=n', ['x', 'y']],
          ['labelSelector=n&limit=0&limit=1', ['x', 'y']],
          ['labelSelector=n&resourceVersion=0&resourceVersion=x', ['x', 'y']],
          ['labelSelector=n&watch=0&watch=1', ['x', 'y']],
          ['labelSelector=n&watch=fal%C5%BFe', ['x', 'y']],
          ['labelSelector=n&watch=1;', ['x', 'y']],
          ['labelSelector=n&watch=%zz', ['x', 'y']],
          ['labelSelector=n&continue=%zz', ['x', 'y']],
          ['labelSelector=n&resourceVersionMatch=x;', ['x', 'y']],
        ] as const
      ).map(
        ([query, names]): Step => ({
          request: get(`${configMaps}?${query}`),
          expect:
            names === undefined
              ? { status: 400 }
              : { status: 200, body: { items: names.map((name) => ({ metadata: { name } })) } },
        }),
      ),
      ...(
        [
          ['limit=x&limit=1', 'strconv.ParseInt: parsing "x": invalid syntax'],
          ['limit=%00', 'strconv.ParseInt: parsing "\\x00": invalid syntax'],
          ['timeoutSeconds=%C2%A0', 'strconv.ParseInt: parsing "\\u00a0": invalid syntax'],
          [
            'resourceVersion=18446744073709551616',
            'invalid resource version: resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
          ],
          [
            'resourceVersion=%7F',
            'invalid resource version: resourceVersion: Invalid value: "\\x7f": strconv.ParseUint: parsing "\\x7f": invalid syntax',
          ],
          [
            'continue=x&resourceVersion=1',
            'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
          ],
        ] as const
      ).map(
        ([query, message]): Step => ({
          request: get(`${configMaps}?${query}`),
          expect: { status: 400, error: badRequest(message) },
        }),
      ),
      {
        request: del(`${configMaps}?limit=%C2%A0`),
        expect: {
          status: 400,
          error: badRequest('strconv.ParseInt: parsing "\\u00a0": invalid syntax'),
        },
      },
    ],
  },
  {
    id: 'version-zero',
    reason: 'version 0 written otherwise is any version, but its limit counts',
    steps: [
      { request: post(gadgets, gadget('x')), expect: { status: 201 } },
      { request: post(gadgets, gadget('y')), expect: { status: 201 } },
      {
        request: get(`${gadgets}?limit=1&resourceVersion=00`),
        expect: { status: 200, body: { metadata: { continue: /./ }, items: [{}] } },
      },
      {
        request: get(`${gadgets}?watch=1&resourceVersion=00`),
        expect: {
          status: 200,
          events: [
            { type: 'ADDED', object: { metadata: { name: 'x' } } },
            { type: 'ADDED', object: { metadata: { name: 'y' } } },
          ],
        },
      },
    ],
  },
  {
    id: 'export',
    reason: 'a parameter of long ago is refused, where it is true',
    steps: [
      { request: post(configMaps, configMap('x')), expect: { status: 201 } },
      ...['export', 'export=1'].map(
        (query): Step => ({
          request: get(`${x}?${query}`),
          expect: {
            status: 400,
            error: badRequest(
              'the export parameter, deprecated since v1.14, is no longer supported',
            ),
          },
        }),
      ),
      { request: get(`${x}?export=0&export=1`), expect: { status: 200 } },
      { request: get(`${x}?export;`), expect: { status: 200 } },
      { request: get(`${configMaps}?export`), expect: { status: 200 } },
    ],
  },
];
