import { since136 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { gadget, paths } from '../objects.ts';
import { post } from '../requests.ts';

const { gadgets } = paths;

export const cases: readonly ContractCase[] = [
  {
    id: 'types',
    reason: 'every schema type is checked',
    steps: [
      {
        since: since136.integerFormat,
        request: post(gadgets, gadget('x', { min: 1.5 })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.min',
              'Invalid value: "number": spec.min in body must be of type integer: "number"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: "": Checked value must be of type integer (default format) in spec.min',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { min: '1' })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.min',
              'Invalid value: "string": spec.min in body must be of type integer: "string"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { enabled: 'yes' })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.enabled',
              'Invalid value: "string": spec.enabled in body must be of type boolean: "string"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { tags: 'a' })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.tags',
              'Invalid value: "string": spec.tags in body must be of type array: "string"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { nested: [] })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.nested',
              'Invalid value: "array": spec.nested in body must be of type object: "array"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { extra: { a: 1 } })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.extra.a',
              'Invalid value: "integer": spec.extra.a in body must be of type string: "integer"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { anyPort: true })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.anyPort',
              'Invalid value: "boolean": spec.anyPort in body must be of type integer,string: "boolean"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { ratio: 'half' })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.ratio',
              'Invalid value: "string": spec.ratio in body must be of type number: "string"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { since: 'yesterday' })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.since',
              'Invalid value: "yesterday": spec.since in body must be of type date-time: "yesterday"',
              'FieldValueTypeInvalid',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('nulls', { owner: null })),
        expect: { status: 201, at: { spec: { mode: 'fast', size: 1 } } },
      },
      {
        request: post(
          gadgets,
          gadget('x', {
            ratio: 1,
            anyPort: 'http',
            since: '2026-01-01T00:00:00Z',
            nested: { note: null },
          }),
        ),
        expect: {
          status: 201,
          body: { spec: { ratio: 1, anyPort: 'http', nested: { note: null } } },
        },
      },
    ],
  },
];
