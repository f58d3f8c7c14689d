import type { ContractCase, Step } from '../contract-case.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { get, post } from '../requests.ts';

const { configMaps, gadgets } = paths;
const indented = /^\{\n {2}"kind": "[^"]+",\n {2}"apiVersion": "[\s\S]*\n\}$/;
const dense = /^\{"[^\n]*\}\n$/;

const shown = (text: RegExp, query: string, headers: Record<string, string> = {}): Step => ({
  request: { ...get(`${configMaps}${query}`), headers },
  expect: { status: 200, text },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'query',
    reason: 'people read answers, too',
    steps: [
      ...['1', 't', 'T', 'true', 'True', 'TRUE', '1&pretty=0'].map((value) =>
        shown(indented, `?pretty=${value}`),
      ),
      ...['', '0', 'tRUE', 'yes', '%zz', '1;', '&pretty=1', '0&pretty=1'].map((value) =>
        shown(dense, `?pretty=${value}`),
      ),
    ],
  },
  {
    id: 'user-agent',
    reason: 'what people read with is answered so unless the query says otherwise',
    steps: ['curl/8.5.0', 'Wget/1.21', 'Mozilla/5.0 (X11)'].flatMap((agent) => [
      shown(indented, '', { 'user-agent': agent }),
      shown(indented, '?pretty=', { 'user-agent': agent }),
      shown(dense, '?pretty=x', { 'user-agent': agent }),
    ]),
  },
  {
    id: 'forms',
    reason: 'lists, objects, failures and discovery are indented; empty maps and lists are not',
    steps: [
      {
        request: post(
          `${gadgets}?pretty=1`,
          gadget({ name: 'x', annotations: { a: '{"b":[ ]}' } }),
        ),
        expect: {
          status: 201,
          text: /\n {4}"annotations": \{\n {6}"a": "\{\\"b\\":\[ \]\}"\n {4}\}/,
        },
      },
      {
        request: get(`${gadgets}?pretty=1&labelSelector=none`),
        expect: { status: 200, text: /\n {2}"items": \[\],?\n/ },
      },
      {
        request: post(`${configMaps}?pretty=1`, configMap('x')),
        expect: { status: 201, text: /\n {2}"data": \{\n {4}"a": "1"\n {2}\}/ },
      },
      {
        request: get(`${configMaps}/y?pretty=1`),
        expect: {
          status: 404,
          text: /^\{\n {2}"kind": "Status",\n[\s\S]*\n {2}"metadata": \{\},\n/,
        },
      },
      {
        request: get('/apis/apps/v1?pretty=1'),
        expect: { status: 200, text: /^\{\n {2}"kind": "APIResourceList",\n/ },
      },
      { request: get('/version'), expect: { status: 200, text: /^\{\n {2}"major": "1",\n/ } },
    ],
  },
];
