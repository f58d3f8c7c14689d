import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { gadget, paths } from '../objects.ts';
import { post } from '../requests.ts';

const { gadgets } = paths;

export const cases: readonly ContractCase[] = [
  {
    id: 'bounds',
    reason: 'bounds, lengths and enumerations are checked',
    steps: [
      {
        request: post(gadgets, gadget('x', { size: -1 })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.size',
              'Invalid value: -1: spec.size in body should be greater than or equal to 0',
            ],
            ['.spec.size', 'Invalid value: -1: should be a non-negative integer'],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { size: 11 })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.size',
              'Invalid value: 11: spec.size in body should be less than or equal to 10',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { mode: 'medium' })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.mode',
              'Unsupported value: "medium": supported values: "fast", "slow"',
              'FieldValueNotSupported',
            ],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { owner: 'o'.repeat(41) })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec.owner', 'Too long: may not be more than 40 bytes', 'FieldValueTooLong'],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { tags: [...'abcdefghijk'] })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec.tags', 'Too many: 11: must have at most 10 items', 'FieldValueTooMany'],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { steps: [{}] })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec.steps[0].run', 'Required value', 'FieldValueRequired'],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { steps: [{ run: '' }] })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.steps[0].run',
              'Invalid value: "": spec.steps[0].run in body should be at least 1 chars long',
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { extra: { a: 'o'.repeat(41) } })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec.extra.a', 'Too long: may not be more than 40 bytes', 'FieldValueTooLong'],
            [
              '<nil>',
              'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'list-types',
    reason: 'sets and keyed lists hold each item once',
    steps: [
      {
        request: post(gadgets, gadget('x', { tags: ['a', 'b', 'a'] })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec.tags[2]', 'Duplicate value: "a"', 'FieldValueDuplicate'],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('x', { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.ports[1]',
              'Duplicate value: {"port":1,"protocol":"TCP"}',
              'FieldValueDuplicate',
            ],
          ]),
        },
      },
    ],
  },
];
