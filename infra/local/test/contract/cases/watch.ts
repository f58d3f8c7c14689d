import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest, type InvalidField, invalid } from '../errors.ts';
import { configMap, gadget, gadgetStatus, paths } from '../objects.ts';
import { apply, del, get, mergePatch, post } from '../requests.ts';

const { configMaps, gadgets } = paths;
const g = `${gadgets}/x`;
const named = (name: string, rest: object = {}) => ({ metadata: { name }, ...rest });

const notOlder = { resourceVersionMatch: 'NotOlderThan' };
const initialEventsEnd = {
  type: 'BOOKMARK',
  object: {
    kind: 'Gadget',
    metadata: {
      resourceVersion: /^\d+$/,
      annotations: { 'k8s.io/initial-events-end': 'true' },
    },
  },
};

const match = 'resourceVersionMatch';
const mustMatch = forbidden(match, `sendInitialEvents requires setting ${match} to NotOlderThan`);
const mustSend = forbidden(
  match,
  `${match} is forbidden for watch unless sendInitialEvents is provided`,
);
const onlyNotOlder: InvalidField = [
  match,
  'Unsupported value: "Exact": supported values: "NotOlderThan"',
  'FieldValueNotSupported',
];

function forbidden(field: string, message: string): InvalidField {
  return [field, `Forbidden: ${message}`, 'FieldValueForbidden'];
}

const refused = (
  query: Readonly<Record<string, string>>,
  fields: readonly InvalidField[],
): Step => ({
  request: get(gadgets, query),
  expect: { status: 422, error: invalid('ListOptions.meta.k8s.io', '', fields) },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'from-version',
    reason: 'a watch sends every change since the version of a list, in order',
    steps: [
      { request: post(gadgets, gadget('before')), expect: { status: 201 } },
      { name: 'list', request: get(gadgets), expect: { status: 200 } },
      { name: 'made', request: post(gadgets, gadget('x')), expect: { status: 201 } },
      { request: mergePatch(g, { spec: { size: 2 } }), expect: { status: 200 } },
      {
        request: apply(`${g}/status`, gadgetStatus('x', { replicas: 2 })),
        expect: { status: 200 },
      },
      { request: del(g), expect: { status: 200 } },
      {
        request: get(gadgets, {
          watch: 'true',
          resourceVersion: '{list.metadata.resourceVersion}',
        }),
        expect: {
          status: 200,
          events: [
            {
              type: 'ADDED',
              object: named('x', { kind: 'Gadget', spec: { size: 1, mode: 'fast' } }),
            },
            { type: 'MODIFIED', object: named('x', { spec: { size: 2, mode: 'fast' } }) },
            { type: 'MODIFIED', object: named('x', { status: { replicas: 2 } }) },
            { type: 'DELETED', object: named('x', { status: { replicas: 2 } }) },
          ],
        },
      },
      {
        request: get(gadgets, { watch: '1', resourceVersion: '{made.metadata.resourceVersion}' }),
        expect: { status: 200, events: [{ type: 'MODIFIED', object: named('x') }] },
      },
    ],
  },
  {
    id: 'from-now',
    reason: 'without a version existing objects come first, as ADDED',
    steps: [
      { request: post(gadgets, gadget('a')), expect: { status: 201 } },
      { request: post(gadgets, gadget('b')), expect: { status: 201 } },
      {
        request: get(gadgets, { watch: 'true' }),
        expect: {
          status: 200,
          events: [
            { type: 'ADDED', object: named('a') },
            { type: 'ADDED', object: named('b') },
          ],
        },
      },
    ],
  },
  {
    id: 'selected',
    reason: 'an object that enters or leaves the selection is added or deleted',
    steps: [
      { name: 'list', request: get(gadgets), expect: { status: 200 } },
      { request: post(gadgets, gadget('x')), expect: { status: 201 } },
      { request: mergePatch(g, { metadata: { labels: { l: '1' } } }), expect: { status: 200 } },
      { request: mergePatch(g, { metadata: { labels: { l: '2' } } }), expect: { status: 200 } },
      {
        request: get(gadgets, {
          watch: 'true',
          labelSelector: 'l=1',
          resourceVersion: '{list.metadata.resourceVersion}',
        }),
        expect: {
          status: 200,
          events: [
            { type: 'ADDED', object: named('x', { metadata: { labels: { l: '1' } } }) },
            { type: 'DELETED', object: named('x', { metadata: { labels: { l: '1' } } }) },
          ],
        },
      },
    ],
  },
  {
    id: 'one-object',
    reason: 'a field selector narrows a watch to one object',
    steps: [
      { name: 'list', request: get(configMaps), expect: { status: 200 } },
      { request: post(configMaps, configMap('a')), expect: { status: 201 } },
      { request: post(configMaps, configMap('b')), expect: { status: 201 } },
      {
        request: get(configMaps, {
          watch: 'true',
          fieldSelector: 'metadata.name=b',
          resourceVersion: '{list.metadata.resourceVersion}',
        }),
        expect: { status: 200, events: [{ type: 'ADDED', object: named('b') }] },
      },
    ],
  },
  {
    id: 'deletion-version',
    reason:
      'a deleted object is told with the version of its deletion, marked first if it was held',
    steps: [
      {
        name: 'made',
        request: post(gadgets, gadget({ name: 'x', finalizers: ['example.com/hold'] })),
        expect: { status: 201 },
      },
      { name: 'marked', request: del(g), expect: { status: 200 } },
      { request: mergePatch(g, { metadata: { finalizers: null } }), expect: { status: 200 } },
      {
        request: get(gadgets, {
          watch: 'true',
          resourceVersion: '{made.metadata.resourceVersion}',
        }),
        expect: {
          status: 200,
          events: [
            {
              type: 'MODIFIED',
              object: named('x', {
                metadata: {
                  deletionTimestamp: /Z$/,
                  resourceVersion: '{marked.metadata.resourceVersion}',
                },
              }),
            },
            { type: 'DELETED', object: named('x') },
          ],
        },
      },
    ],
  },
  {
    id: 'too-old',
    reason: 'a compacted version ends the watch with one error',
    steps: [
      { request: post(gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: get(gadgets, { watch: 'true', resourceVersion: '1' }),
        expect: {
          status: 200,
          events: [
            {
              type: 'ERROR',
              object: {
                kind: 'Status',
                code: 410,
                reason: 'Expired',
                message: /^too old resource version: 1 \(\d+\)$/,
              },
            },
          ],
        },
      },
    ],
  },
  {
    id: 'bad-version',
    reason: 'a version that is not a number is refused',
    steps: [
      {
        request: get(gadgets, { watch: 'true', resourceVersion: 'abc' }),
        expect: {
          status: 500,
          error: {
            message:
              'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
          },
        },
      },
    ],
  },
  {
    id: 'timeout',
    reason: 'a watch ends at its timeout',
    steps: [
      { name: 'list', request: get(gadgets), expect: { status: 200 } },
      {
        request: get(gadgets, {
          watch: 'true',
          timeoutSeconds: '1',
          resourceVersion: '{list.metadata.resourceVersion}',
        }),
        expect: { status: 200, text: '' },
      },
    ],
  },
  {
    id: 'initial-events',
    reason: 'a watch may begin with initial events, closed by a bookmark',
    steps: [
      { request: post(gadgets, gadget('a')), expect: { status: 201 } },
      {
        request: get(gadgets, {
          watch: 'true',
          sendInitialEvents: 'true',
          allowWatchBookmarks: 'true',
          resourceVersionMatch: 'NotOlderThan',
          resourceVersion: '',
          labelSelector: 'none=such',
        }),
        expect: {
          status: 200,
          events: [initialEventsEnd],
        },
      },
    ],
  },
  {
    id: 'initial-events-forms',
    reason:
      'initial events come where they are asked for, or where nothing is said; their end is a bookmark',
    steps: [
      { request: post(gadgets, gadget('a')), expect: { status: 201 } },
      {
        request: get(gadgets, { watch: 'true', ...notOlder, sendInitialEvents: 'true' }),
        expect: { status: 200, events: [{ type: 'ADDED', object: named('a') }] },
      },
      {
        request: get(gadgets, {
          watch: 'true',
          allowWatchBookmarks: 'true',
          labelSelector: 'none=such',
        }),
        expect: { status: 200, events: [initialEventsEnd] },
      },
      {
        request: get(gadgets, {
          watch: 'true',
          ...notOlder,
          sendInitialEvents: 'false',
          timeoutSeconds: '1',
        }),
        expect: { status: 200, text: '' },
      },
      {
        request: get(gadgets, { watch: 'true', limit: 'x' }),
        expect: {
          status: 400,
          error: badRequest('strconv.ParseInt: parsing "x": invalid syntax'),
        },
      },
    ],
  },
  {
    id: 'initial-events-refused',
    reason: 'sendInitialEvents and resourceVersionMatch go together, and only in a watch',
    steps: [
      ...[{ sendInitialEvents: 'true' }, { sendInitialEvents: 'false' }].map((query) =>
        refused({ watch: 'true', ...query }, [mustMatch]),
      ),
      refused({ watch: 'true', resourceVersionMatch: 'NotOlderThan' }, [mustSend]),
      refused({ watch: 'true', resourceVersionMatch: 'Exact' }, [mustSend, onlyNotOlder]),
      refused({ watch: 'true', sendInitialEvents: 'true', resourceVersionMatch: 'Exact' }, [
        mustMatch,
        onlyNotOlder,
      ]),
      refused({ watch: 'true', continue: 'x' }, [
        forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden when continue is provided',
        ),
      ]),
      refused({ sendInitialEvents: 'false' }, [
        forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'),
      ]),
    ],
  },
];
