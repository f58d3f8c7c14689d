import type { ContractCase, ErrorBody } from '../contract-case.ts';
import { definition } from '../definitions.ts';
import { invalid } from '../errors.ts';
import { paths } from '../objects.ts';
import { post } from '../requests.ts';
import {
  crd,
  refused,
  simpleToys,
  toy,
  toyDefinition,
  toys,
  toysWith,
  toyVersion,
} from '../toys.ts';

const badRule = (message: RegExp): ErrorBody => ({
  reason: 'Invalid',
  message,
  details: {
    name: 'toys.{ns}.example.com',
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    causes: [
      {
        reason: 'FieldValueInvalid',
        message,
        field: 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule',
      },
    ],
  },
});

const texts = { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 50 } };

export const cases: readonly ContractCase[] = [
  {
    id: 'name',
    reason: 'its name is plural.group',
    steps: [
      {
        request: post(paths.definitions, {
          ...simpleToys,
          metadata: { name: `other.${toys.group}` },
        }),
        expect: {
          status: 422,
          error: invalid(crd, 'other.{ns}.example.com', [
            [
              'metadata.name',
              'Invalid value: "other.{ns}.example.com": must be spec.names.plural+"."+spec.group',
            ],
          ]),
        },
      },
      {
        request: post(paths.definitions, { ...simpleToys, metadata: { name: 'toys' } }),
        expect: {
          status: 422,
          error: invalid(crd, 'toys', [
            ['metadata.name', 'Invalid value: "toys": must be spec.names.plural+"."+spec.group'],
          ]),
        },
      },
    ],
  },
  {
    id: 'rules',
    reason: 'a definition with a rule that does not compile or may cost too much is refused',
    steps: [
      refused(
        { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.size > 1' }] },
        badRule(/compilation failed: ERROR: <input>:1:5: undefined field 'size'\n/),
      ),
      refused(
        { type: 'object', 'x-kubernetes-validations': [{ rule: '' }] },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule',
            'Required value: rule is not specified',
            'FieldValueRequired',
          ],
        ]),
      ),
      refused(
        { type: 'object', 'x-kubernetes-validations': [{ rule: '1 + 1' }] },
        badRule(/: cel expression must evaluate to a bool$/),
      ),
    ],
  },
  {
    id: 'sign-of-quantity',
    reason: 'sign is a function, not a method of a quantity as its documentation says',
    steps: [
      {
        request: post(
          `${paths.definitions}?dryRun=All`,
          toyDefinition(
            toyVersion({
              type: 'object',
              'x-kubernetes-validations': [{ rule: "sign(quantity('1')) == 1" }],
            }),
          ),
        ),
        expect: { status: 201 },
      },
      refused(
        {
          type: 'object',
          'x-kubernetes-validations': [{ rule: "quantity('1').sign() == 1" }],
        },
        badRule(
          /:1:19: found no matching overload for 'sign' applied to 'kubernetes\.Quantity\.\(\)'\n/,
        ),
      ),
      refused(
        {
          type: 'object',
          'x-kubernetes-validations': [{ rule: "quantity('1').isLessThan(2)" }],
        },
        badRule(
          /:1:25: found no matching overload for 'isLessThan' applied to 'kubernetes\.Quantity\.\(int\)'\n/,
        ),
      ),
    ],
  },
  {
    id: 'addresses',
    reason: 'isIP accepts no leading zeros, no zone and no IPv4 address mapped to IPv6',
    steps: [
      {
        request: post(
          paths.definitions,
          toysWith({
            type: 'object',
            properties: { addresses: texts, others: texts },
            'x-kubernetes-validations': [
              { rule: 'self.addresses.all(one, isIP(one)) && !self.others.exists(one, isIP(one))' },
            ],
          }),
        ),
        expect: { status: 201 },
      },
      {
        request: post(
          toys.objects,
          toy('x', {
            addresses: ['1.2.3.4', '::', '2001:DB8::ff', '::1.2.3.4', '::ffff:1:2:3'],
            others: [
              '',
              '1.2.3',
              '01.2.3.4',
              '1.2.3.4 ',
              '[::1]',
              'fe80::1%eth0',
              '::ffff:1.2.3.4',
              '0:0:0:0:0:FFFF:102:304',
              'example.org',
            ],
          }),
        ),
        eventually: true,
        expect: { status: 201 },
      },
      refused(
        {
          type: 'object',
          properties: { size: { type: 'integer' } },
          'x-kubernetes-validations': [{ rule: 'isIP(self.size)' }],
        },
        badRule(/:1:5: found no matching overload for 'isIP' applied to '\(int\)'\n/),
      ),
    ],
  },
  {
    id: 'presence-in-items',
    reason: 'has() tests a field of any expression, as in the HTTPRoute of the Gateway API',
    steps: [
      {
        request: post(
          `${paths.definitions}?dryRun=All`,
          toyDefinition(
            toyVersion({
              type: 'object',
              properties: {
                list: {
                  type: 'array',
                  maxItems: 4,
                  items: { type: 'object', properties: { a: { type: 'string' } } },
                },
              },
              'x-kubernetes-validations': [{ rule: '!has(self.list) || has(self.list[0].a)' }],
            }),
          ),
        ),
        expect: { status: 201 },
      },
    ],
  },
  {
    id: 'rule-cost',
    reason: 'rules over lists without bounds are refused for what they may cost',
    steps: [
      {
        request: post(
          paths.definitions,
          toyDefinition(
            toyVersion({
              type: 'object',
              properties: {
                list: {
                  type: 'array',
                  items: {
                    type: 'array',
                    items: {
                      type: 'string',
                      'x-kubernetes-validations': [{ rule: "self.contains('a')" }],
                    },
                  },
                },
              },
            }),
          ),
        ),
        expect: {
          status: 422,
          body: { reason: 'Invalid', message: /estimated rule cost exceeds budget/ },
        },
      },
    ],
  },
  {
    id: 'versions',
    reason: 'exactly one version is stored',
    steps: [
      {
        request: post(
          paths.definitions,
          toyDefinition(toyVersion({ type: 'object' }, { storage: false })),
        ),
        expect: {
          status: 422,
          body: {
            reason: 'Invalid',
            message:
              /spec\.versions: Invalid value: .*must have exactly one version marked as storage version/,
          },
        },
      },
      {
        request: post(
          paths.definitions,
          definition({
            group: toys.group,
            names: toys.names,
            versions: [
              toyVersion({ type: 'object' }),
              toyVersion({ type: 'object' }, { name: 'v2' }),
            ],
          }),
        ),
        expect: {
          status: 422,
          body: {
            reason: 'Invalid',
            message:
              /spec\.versions: Invalid value: .*must have exactly one version marked as storage version/,
          },
        },
      },
    ],
  },
];
