import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { configMap, paths } from '../objects.ts';
import { del, get, post } from '../requests.ts';

const { configMaps, gadgets } = paths;

const refused = (timeout: string, why: string): Step => ({
  request: get(gadgets, { timeout }),
  expect: {
    status: 400,
    error: badRequest(`invalid timeout specified in the request URL - time: ${why}`),
  },
});
const abc = badRequest(
  'invalid timeout specified in the request URL - time: invalid duration "abc"',
);

export const cases: readonly ContractCase[] = [
  {
    id: 'durations',
    reason: 'a timeout is a Go duration',
    steps: [
      ...['', '0', '1s', '-1s', '+1.5h', '1m30s', '1.s', '.5m', '90000000µs'].map((timeout) => ({
        request: get(gadgets, { timeout }),
        expect: { status: 200 },
      })),
      refused('1', 'missing unit in duration "1"'),
      refused('1s1', 'missing unit in duration "1s1"'),
      refused('1d', 'unknown unit "d" in duration "1d"'),
      refused('1 s', 'unknown unit " s" in duration "1 s"'),
      refused('1µ"', 'unknown unit "\\xc2\\xb5\\"" in duration "1\\xc2\\xb5\\""'),
      refused('s', 'invalid duration "s"'),
      refused('.s', 'invalid duration ".s"'),
      refused('-', 'invalid duration "-"'),
      refused('99999999999h', 'invalid duration "99999999999h"'),
    ],
  },
  {
    id: 'everywhere',
    reason: 'a timeout is parsed first, except for a watch',
    steps: [
      ...[
        post(configMaps, configMap('x'), { timeout: 'abc' }),
        post(configMaps, '{', { timeout: 'abc' }),
        del(`${configMaps}/x`, undefined, { timeout: 'abc' }),
        get('/apis', { timeout: 'abc' }),
        get('/version', { timeout: 'abc' }),
        get('/healthz', { timeout: 'abc' }),
        get('/nowhere', { timeout: 'abc' }),
      ].map((request) => ({ request, expect: { status: 400, error: abc } })),
      {
        request: get(gadgets, { watch: '1', timeoutSeconds: '1', timeout: 'abc' }),
        expect: { status: 200 },
      },
    ],
  },
];
