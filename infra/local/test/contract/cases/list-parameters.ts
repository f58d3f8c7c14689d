import { since135 } from '../changes.ts';
import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { gadget, paths, secret } from '../objects.ts';
import { get, post } from '../requests.ts';

const { gadgets, secrets } = paths;
const refused = (query: Record<string, string>, message: string): Step => ({
  request: get(secrets, query),
  expect: { status: 400, error: badRequest(message) },
});

const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const key =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const integer = "for 'Gt', 'Lt' operators, the value must be an integer";

/** Invalid label selectors, each with its error. */
const labelSelectors: Readonly<Record<string, string>> = {
  'n>x': `values[0]: Invalid value: "x": ${integer}`,
  'n<1.5': `values[0]: Invalid value: "1.5": ${integer}`,
  'n>': `values[0]: Invalid value: "": ${integer}`,
  'n>9999999999999999999': `values[0]: Invalid value: "9999999999999999999": ${integer}`,
  'n>-1': `values[0][n]: Invalid value: "-1": ${value}`,
  '-a=b': `<nil>: Invalid value: "-a": ${namePart}`,
  'a/b/c=d': `<nil>: Invalid value: "a/b/c": ${key}`,
  'a/': `<nil>: Invalid value: "a/": name part must be non-empty; ${namePart}`,
  '/a': '<nil>: Invalid value: "/a": prefix part must be non-empty',
  'a in (c-,-b)': `[values[0][a]: Invalid value: "-b": ${value}, values[1][a]: Invalid value: "c-": ${value}]`,
  'a in (': "found '', expected: ',', ')' or identifier",
  '!': "found '', expected: identifier",
  '!!a': "found '!', expected: identifier",
};

/** Invalid field selectors, each with its error. */
const fieldSelectors: Readonly<Record<string, string>> = {
  'metadata.name=a\\b': 'invalid field selector: invalid escape sequence: \\b',
  'metadata.name=a\\': 'invalid field selector: invalid escape sequence: \\',
  'metadata.name=a=b': 'invalid field selector: unescaped character in value: 61',
  ' metadata.name=x': 'field label not supported:  metadata.name',
  ' ': "invalid selector: ' '; can't understand ' '",
  'type=a,b': "invalid selector: 'type=a,b'; can't understand 'b'",
  '=x': 'field label not supported: ',
};

export const cases: readonly ContractCase[] = [
  {
    id: 'numbers',
    reason: 'an invalid number is refused, an empty one too',
    steps: [
      ...['limit', 'timeoutSeconds'].flatMap((name) => [
        ...['', '1e20', ' 5', '1_0'].map((given) =>
          refused(
            { [name]: given },
            `strconv.ParseInt: parsing ${JSON.stringify(given)}: invalid syntax`,
          ),
        ),
        refused(
          { [name]: '100000000000000000000' },
          'strconv.ParseInt: parsing "100000000000000000000": value out of range',
        ),
        { request: get(secrets, { [name]: '+5' }), expect: { status: 200 } },
      ]),
    ],
  },
  {
    id: 'label-selectors',
    reason: 'an invalid label selector is refused in the words of the parser',
    steps: Object.entries(labelSelectors).map(([labelSelector, why]) => ({
      ...refused({ labelSelector }, `unable to parse requirement: ${why}`),
      ...(why.includes('a valid label key') ? { since: since135.labelKeys } : {}),
    })),
  },
  {
    id: 'field-selectors',
    reason: 'field values may hold separators, escaped by a backslash',
    steps: [
      { request: post(secrets, secret('x')), expect: { status: 201 } },
      ...Object.entries(fieldSelectors).map(([fieldSelector, why]) =>
        refused({ fieldSelector }, why),
      ),
      ...['metadata.name=a\\,b', 'type=a\\=b', 'type=a\\\\', 'metadata.name=x,type='].map(
        (fieldSelector) => ({
          request: get(secrets, { fieldSelector }),
          expect: { status: 200, body: { items: [] } },
        }),
      ),
      ...['=', '==', '!=', ',', ',metadata.name=x,'].map((fieldSelector) => ({
        request: get(secrets, { fieldSelector }),
        expect: { status: 200, body: { items: [{ metadata: { name: 'x' } }] } },
      })),
    ],
  },
  {
    id: 'future-watches',
    reason: 'a watch from a future version waits; with initial events it fails',
    steps: [
      { request: post(gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: get(gadgets, {
          watch: 'true',
          resourceVersion: '999999999',
          timeoutSeconds: '1',
        }),
        expect: { status: 200, text: '' },
      },
      {
        request: get(gadgets, {
          watch: 'true',
          resourceVersion: '999999999',
          resourceVersionMatch: 'NotOlderThan',
          sendInitialEvents: 'true',
        }),
        expect: {
          status: 200,
          events: [
            {
              type: 'ERROR',
              object: {
                kind: 'Status',
                code: 504,
                message: /^Timeout: Too large resource version: 999999999, current: \d+$/,
              },
            },
          ],
        },
      },
    ],
  },
  {
    id: 'object-version',
    reason: 'the version of one object must be a number, too; an invalid one is a 500',
    steps: ['abc', '-1'].map((resourceVersion) => ({
      request: get(`${gadgets}/x`, { resourceVersion }),
      expect: {
        status: 500,
        error: {
          message: `resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`,
        },
      },
    })),
  },
  {
    id: 'over',
    reason: 'a watch with a negative timeout ends at once',
    steps: [
      {
        request: get(secrets, { watch: '1', resourceVersion: '0', timeoutSeconds: '-1' }),
        expect: { status: 200, text: '' },
      },
    ],
  },
];
