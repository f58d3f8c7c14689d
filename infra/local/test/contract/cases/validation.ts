import type { ContractCase, Step } from '../contract-case.ts';
import { badRequest, invalid, modified } from '../errors.ts';
import { gadget, paths, website } from '../objects.ts';
import { apply, get, mergePatch, post, put } from '../requests.ts';

const { gadgets, websites } = paths;
const g = `${gadgets}/x`;
const made: Step = { name: 'made', request: post(gadgets, gadget('x')), expect: { status: 201 } };

export const cases: readonly ContractCase[] = [
  {
    id: 'website',
    reason: 'the server refuses each field that the schema does not allow',
    steps: [
      {
        request: post(websites, website('x', {})),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            ['spec.imageTag', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
      {
        request: post(websites, { ...website('x'), spec: undefined }),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            ['spec', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
      {
        request: post(websites, website('x', { imageTag: 'a/b' })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.imageTag',
              'Invalid value: "a/b": spec.imageTag in body should match \'^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$\'',
            ],
          ]),
        },
      },
      {
        request: post(websites, website('x', { imageTag: '' })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.imageTag',
              'Invalid value: "": spec.imageTag in body should match \'^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$\'',
            ],
          ]),
        },
      },
      {
        request: post(websites, website('x', { imageTag: 1 })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.imageTag',
              'Invalid value: "integer": spec.imageTag in body must be of type string: "integer"',
              'FieldValueTypeInvalid',
            ],
          ]),
        },
      },
      {
        request: post(websites, website('x', { imageTag: 'a', nodePort: 80 })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.nodePort',
              'Invalid value: 80: spec.nodePort in body should be greater than or equal to 30000',
            ],
          ]),
        },
      },
      {
        request: post(websites, website('x', { imageTag: 'a', nodePort: 40000 })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.nodePort',
              'Invalid value: 40000: spec.nodePort in body should be less than or equal to 32767',
            ],
          ]),
        },
      },
      {
        request: post(websites, website('x', { imageTag: 'a', nodePort: '31000' })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.nodePort',
              'Invalid value: "string": spec.nodePort in body must be of type integer: "string"',
              'FieldValueTypeInvalid',
            ],
          ]),
        },
      },
      {
        request: post(websites, website('x', { imageTag: '-', nodePort: 1 })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.nodePort',
              'Invalid value: 1: spec.nodePort in body should be greater than or equal to 30000',
            ],
            [
              'spec.imageTag',
              'Invalid value: "-": spec.imageTag in body should match \'^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$\'',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'apply-invalid',
    reason: 'an apply is validated as any other write, and nothing is stored',
    steps: [
      { name: 'made', request: apply(`${websites}/x`, website('x')), expect: { status: 201 } },
      {
        request: apply(`${websites}/x`, website('x', { imageTag: '-x' })),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec.imageTag',
              'Invalid value: "-x": spec.imageTag in body should match \'^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$\'',
            ],
          ]),
        },
      },
      {
        request: apply(`${websites}/x`, website('x', {})),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            [
              'spec',
              'Invalid value: "null": spec in body must be of type object: "null"',
              'FieldValueTypeInvalid',
            ],
          ]),
        },
      },
      {
        request: mergePatch(`${websites}/x`, { spec: null }),
        expect: {
          status: 422,
          error: invalid('Website.kubecon.my.domain', 'x', [
            ['spec', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
      { request: get(`${websites}/x`), expect: { status: 200, version: { sameAs: 'made' } } },
    ],
  },
  {
    id: 'pruning',
    reason: 'unknown fields are dropped with a warning, or refused in strict mode',
    steps: [
      {
        request: post(
          gadgets,
          gadget('x', { bogus: 1, nested: { more: 2 }, free: { any: { thing: [1] } } }),
        ),
        expect: {
          status: 201,
          at: {
            spec: { mode: 'fast', size: 1, nested: { depth: 2 }, free: { any: { thing: [1] } } },
          },
          headers: {
            warning:
              '299 - "unknown field \\"spec.bogus\\"", 299 - "unknown field \\"spec.nested.more\\""',
          },
        },
      },
      {
        request: post(gadgets, gadget('y', { bogus: 1 }), { fieldValidation: 'Strict' }),
        expect: {
          status: 400,
          error: badRequest(
            'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "spec.bogus"',
          ),
        },
      },
      {
        request: post(gadgets, gadget('y', { bogus: 1 }), { fieldValidation: 'Ignore' }),
        expect: { status: 201, headers: { warning: undefined } },
      },
      {
        request: post(gadgets, gadget('z'), { fieldValidation: 'Bogus' }),
        expect: {
          status: 422,
          error: {
            message:
              'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Bogus": supported values: "", "Ignore", "Strict", "Warn"',
            reason: 'Invalid',
            details: {
              group: 'meta.k8s.io',
              kind: 'CreateOptions',
              causes: [
                {
                  reason: 'FieldValueNotSupported',
                  message:
                    'Unsupported value: "Bogus": supported values: "", "Ignore", "Strict", "Warn"',
                  field: 'fieldValidation',
                },
              ],
            },
          },
        },
      },
      {
        request: mergePatch(g, { spec: { bogus: 1 } }, { fieldValidation: 'Strict' }),
        expect: {
          status: 422,
          body: {
            reason: 'Invalid',
            message: /strict decoding error: unknown field "spec.bogus"$/,
          },
        },
      },
    ],
  },
  {
    id: 'strict-built-ins',
    reason: 'kubectl asks for strict validation of built-ins too',
    steps: [
      {
        request: post(paths.configMaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'x' },
          bogus: 1,
        }),
        expect: {
          status: 201,
          body: { bogus: undefined },
          headers: { warning: '299 - "unknown field \\"bogus\\""' },
        },
      },
      {
        request: post(
          paths.configMaps,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'y', bogus: 1 }, other: 1 },
          { fieldValidation: 'Strict' },
        ),
        expect: {
          status: 400,
          error: badRequest(
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.bogus", unknown field "other"',
          ),
        },
      },
      {
        request: post(
          paths.configMaps,
          '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"y"},"data":{"a":"1","a":"2"}}',
          { fieldValidation: 'Strict' },
        ),
        expect: {
          status: 400,
          error: badRequest(
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
          ),
        },
      },
    ],
  },
  {
    id: 'unchanged-invalid',
    reason: 'the version lock is checked before the schema',
    steps: [
      made,
      { request: mergePatch(g, { spec: { size: 2 } }), expect: { status: 200 } },
      {
        request: put(
          g,
          gadget({ name: 'x', resourceVersion: '{made.metadata.resourceVersion}' }, { size: 99 }),
        ),
        expect: { status: 409, error: modified('gadgets.contract.example.com', 'x') },
      },
    ],
  },
];
