import type { ContractCase } from '../contract-case.ts';
import { badRequest } from '../errors.ts';
import { gadget, paths } from '../objects.ts';
import { get, mergePatch, post } from '../requests.ts';

const named = (name: string) => ({ metadata: { name } });

export const cases: readonly ContractCase[] = [
  {
    id: 'versions',
    reason: 'the resourceVersions that a list accepts',
    steps: [
      { name: 'made', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: get(paths.gadgets, { resourceVersion: '{made.metadata.resourceVersion}' }),
        expect: { status: 200, body: { items: [named('x')] } },
      },
      {
        request: get(paths.gadgets, { resourceVersion: '0' }),
        expect: { status: 200 },
      },
      {
        request: get(paths.gadgets, {
          resourceVersion: '{made.metadata.resourceVersion}',
          resourceVersionMatch: 'NotOlderThan',
        }),
        expect: { status: 200, body: { items: [named('x')] } },
      },
      { request: mergePatch(`${paths.gadgets}/x`, { spec: { size: 2 } }), expect: { status: 200 } },
      {
        request: get(paths.gadgets, {
          resourceVersion: '{made.metadata.resourceVersion}',
          resourceVersionMatch: 'Exact',
        }),
        expect: {
          status: 200,
          body: {
            metadata: { resourceVersion: '{made.metadata.resourceVersion}' },
            items: [{ spec: { size: 1 } }],
          },
        },
      },
    ],
  },
  {
    id: 'bad-versions',
    reason: 'and those that it refuses',
    steps: [
      {
        request: get(paths.gadgets, { resourceVersionMatch: 'Exact' }),
        expect: {
          status: 422,
          error: {
            message:
              'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'ListOptions',
              causes: [
                {
                  reason: 'FieldValueForbidden',
                  message:
                    'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
                  field: 'resourceVersionMatch',
                },
              ],
            },
          },
        },
      },
      {
        request: get(paths.gadgets, { resourceVersionMatch: 'Exact', resourceVersion: '0' }),
        expect: {
          status: 422,
          error: {
            message:
              'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'ListOptions',
              causes: [
                {
                  reason: 'FieldValueForbidden',
                  message:
                    'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
                  field: 'resourceVersionMatch',
                },
              ],
            },
          },
        },
      },
      {
        request: get(paths.gadgets, { resourceVersionMatch: 'Bogus', resourceVersion: '5' }),
        expect: {
          status: 422,
          error: {
            message:
              'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'ListOptions',
              causes: [
                {
                  reason: 'FieldValueNotSupported',
                  message:
                    'Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""',
                  field: 'resourceVersionMatch',
                },
              ],
            },
          },
        },
      },
      {
        request: get(paths.gadgets, { resourceVersion: 'abc' }),
        expect: {
          status: 400,
          error: badRequest(
            'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
          ),
        },
      },
    ],
  },
  {
    id: 'future',
    reason: 'a future version is waited for, then refused with a retry hint',
    steps: [
      {
        request: get(paths.gadgets, { resourceVersion: '1000000000' }),
        expect: {
          status: 504,
          error: {
            message: /^Timeout: Too large resource version: 1000000000, current: \d+$/,
            reason: 'Timeout',
            details: {
              causes: [
                { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
              ],
              retryAfterSeconds: 1,
            },
          },
          headers: { 'retry-after': '1' },
        },
      },
    ],
  },
  {
    id: 'one-object',
    reason: 'a single object accepts a version too',
    steps: [
      { name: 'made', request: post(paths.gadgets, gadget('x')), expect: { status: 201 } },
      {
        request: get(`${paths.gadgets}/x`, { resourceVersion: '{made.metadata.resourceVersion}' }),
        expect: { status: 200 },
      },
      {
        eventually: true,
        request: get(`${paths.gadgets}/x`, { resourceVersion: '0' }),
        expect: { status: 200 },
      },
    ],
  },
];
