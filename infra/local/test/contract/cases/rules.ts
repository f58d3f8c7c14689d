import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { gadget, paths } from '../objects.ts';
import { apply, mergePatch, post } from '../requests.ts';

const { gadgets } = paths;
const g = `${gadgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'rules',
    reason: 'rules over several fields are checked with their own messages',
    steps: [
      {
        since: since135.ruleValues,
        request: post(gadgets, gadget('x', { min: 3, max: 2 })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec', 'Invalid value: max must be at least min'],
          ]),
        },
      },
      {
        since: since135.ruleValues,
        request: post(gadgets, gadget('reserved-x')),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'reserved-x', [
            ['<nil>', 'Invalid value: the name reserved-x is reserved'],
          ]),
        },
      },
      { request: post(gadgets, gadget('x', { min: 2, max: 2 })), expect: { status: 201 } },
      {
        since: since135.ruleValues,
        request: mergePatch(g, { spec: { min: 3 } }),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec', 'Invalid value: max must be at least min'],
          ]),
        },
      },
    ],
  },
  {
    id: 'transition-rules',
    reason: 'rules over the old value make fields immutable',
    steps: [
      { request: apply(g, gadget('x', { owner: 'me' })), expect: { status: 201 } },
      {
        since: since135.ruleValues,
        request: apply(g, gadget('x', { owner: 'you' })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec.owner', 'Invalid value: "you": owner is immutable'],
          ]),
        },
      },
      {
        since: since135.ruleValues,
        request: apply(g, gadget('x')),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            ['spec', 'Invalid value: owner may not be removed'],
          ]),
        },
      },
      { request: apply(g, gadget('x', { owner: 'me', size: 2 })), expect: { status: 200 } },
    ],
  },
  {
    id: 'rules-after-types',
    reason: 'rules are not run on an invalid object',
    steps: [
      {
        since: since135.ruleValues,
        request: post(gadgets, gadget('x', { min: 3, max: 2, size: 99 })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.size',
              'Invalid value: 99: spec.size in body should be less than or equal to 10',
            ],
            ['spec', 'Invalid value: max must be at least min'],
          ]),
        },
      },
    ],
  },
];
