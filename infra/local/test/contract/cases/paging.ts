import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { gadget, paths } from '../objects.ts';
import { del, get, post } from '../requests.ts';

const { gadgets } = paths;
const named = (name: string) => ({ metadata: { name } });
const make = (name: string, labels: object = {}): Step => ({
  request: post(gadgets, gadget({ name, labels })),
  expect: { status: 201 },
});

const five = ['a', 'b', 'c', 'd', 'e'].map((name) => make(name));

const token = (text: string): string => Buffer.from(text).toString('base64url');
const version = 'meta.k8s.io/v1';

/** Invalid contents of a continue token, each with its error. */
const wrongTokens: Readonly<Record<string, string>> = {
  bogus: ': illegal base64 data at input byte 4',
  '!!!': ': illegal base64 data at input byte 0',
  'ab==': ': illegal base64 data at input byte 2',
  [token('{')]: ': unexpected end of JSON input',
  [token('[]')]: ': json: cannot unmarshal array into Go value of type storage.continueToken',
  [token('"x"')]: ': json: cannot unmarshal string into Go value of type storage.continueToken',
  [token('null')]: ': server does not recognize this encoded version ',
  [token('{"v":1}')]:
    ': json: cannot unmarshal number into Go struct field continueToken.v of type string',
  [token('{"v":"x"}')]: ': server does not recognize this encoded version x',
  [token(JSON.stringify({ v: version, rv: '5' }))]:
    ': json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
  [token(JSON.stringify({ v: version }))]:
    ': incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
  [token(JSON.stringify({ v: version, rv: 5 }))]:
    ': encoded start key empty (version meta.k8s.io/v1)',
  [token(JSON.stringify({ v: version, rv: 5, start: '../x' }))]: ': ../x',
};

const badTokens: readonly Step[] = Object.entries(wrongTokens).map(([next, why]) => ({
  request: get(gadgets, { limit: '1', continue: next }),
  expect: {
    status: 400,
    error: badRequest(`invalid continue token: continue key is not valid${why}`),
  },
}));

export const cases: readonly ContractCase[] = [
  {
    id: 'pages',
    reason: 'pages are one snapshot, without later writes',
    steps: [
      ...five,
      {
        name: 'first',
        request: get(gadgets, { limit: '2' }),
        expect: {
          status: 200,
          body: {
            metadata: { continue: /^[A-Za-z0-9_-]+$/, remainingItemCount: 3 },
            items: [named('a'), named('b')],
          },
        },
      },
      make('bb'),
      { request: del(`${gadgets}/c`), expect: { status: 200 } },
      {
        name: 'second',
        request: get(gadgets, { limit: '2', continue: '{first.metadata.continue}' }),
        expect: {
          status: 200,
          version: { sameAs: 'first' },
          body: { metadata: { remainingItemCount: 1 }, items: [named('c'), named('d')] },
        },
      },
      {
        request: get(gadgets, { limit: '2', continue: '{second.metadata.continue}' }),
        expect: {
          status: 200,
          version: { sameAs: 'first' },
          body: { metadata: { continue: '', remainingItemCount: undefined }, items: [named('e')] },
        },
      },
      {
        request: get(gadgets, { continue: '{first.metadata.continue}' }),
        expect: { status: 200, body: { items: [named('c'), named('d'), named('e')] } },
      },
    ],
  },
  {
    id: 'exact-fit',
    reason: 'a full last page has no continuation',
    steps: [
      ...five,
      {
        request: get(gadgets, { limit: '5' }),
        expect: { status: 200, body: { metadata: { continue: '' }, items: [{}, {}, {}, {}, {}] } },
      },
      {
        request: get(gadgets, { limit: '-1' }),
        expect: { status: 200, body: { metadata: { continue: '' } } },
      },
      {
        request: get(gadgets, { limit: '0' }),
        expect: { status: 200, body: { metadata: { continue: '' } } },
      },
    ],
  },
  {
    id: 'selected',
    reason: 'with a selector remainingItemCount is unknown',
    steps: [
      make('a', { l: '1' }),
      make('b'),
      make('c', { l: '1' }),
      make('d'),
      make('e', { l: '1' }),
      {
        name: 'first',
        request: get(gadgets, { limit: '2', labelSelector: 'l=1' }),
        expect: {
          status: 200,
          body: {
            metadata: { continue: /./, remainingItemCount: undefined },
            items: [named('a'), named('c')],
          },
        },
      },
      {
        request: get(gadgets, {
          limit: '2',
          labelSelector: 'l=1',
          continue: '{first.metadata.continue}',
        }),
        expect: { status: 200, body: { items: [named('e')] } },
      },
    ],
  },
  {
    id: 'any-version',
    reason: 'a list at version 0 ignores the limit',
    steps: [
      ...five,
      {
        eventually: true,
        request: get(gadgets, { limit: '2', resourceVersion: '0' }),
        expect: { status: 200, body: { metadata: { continue: '' }, items: [{}, {}, {}, {}, {}] } },
      },
    ],
  },
  {
    id: 'bad-continue',
    reason: 'an invalid continue token is refused',
    steps: [
      make('a'),
      make('b'),
      ...badTokens,
      { name: 'first', request: get(gadgets, { limit: '1' }), expect: { status: 200 } },
      {
        request: get(gadgets, {
          limit: '1',
          continue: '{first.metadata.continue}',
          resourceVersion: '{first.metadata.resourceVersion}',
        }),
        expect: {
          status: 400,
          error: badRequest('specifying resource version is not allowed when using continue'),
        },
      },
      {
        request: get(gadgets, {
          limit: '1',
          continue: '{first.metadata.continue}',
          resourceVersion: '{first.metadata.resourceVersion}',
          resourceVersionMatch: 'Exact',
        }),
        expect: {
          status: 422,
          error: {
            message:
              'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'ListOptions',
              causes: [
                {
                  reason: 'FieldValueForbidden',
                  message: 'Forbidden: resourceVersionMatch is forbidden when continue is provided',
                  field: 'resourceVersionMatch',
                },
              ],
            },
          },
        },
      },
      {
        request: get(gadgets, { limit: 'many' }),
        expect: {
          status: 400,
          error: badRequest('strconv.ParseInt: parsing "many": invalid syntax'),
        },
      },
    ],
  },
];
