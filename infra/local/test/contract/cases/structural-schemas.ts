import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { paths } from '../objects.ts';
import { post } from '../requests.ts';
import { crd, refused, toyDefinition, toys, toysWith } from '../toys.ts';

/** The rest of the message comes from the regular expression engine. */
const badPattern = /Invalid value: "\(": must be a valid regular expression, but isn't/;

const postgresOnly = {
  'x-kubernetes-validations': [
    { rule: "self.contains('postgres')", message: 'must be PostgreSQL' },
  ],
};

export const cases: readonly ContractCase[] = [
  {
    id: 'structural',
    reason: 'a schema must give every field a type',
    steps: [
      refused(
        { properties: { size: { type: 'integer' } } },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].type',
            'Required value: must not be empty for specified object fields',
            'FieldValueRequired',
          ],
        ]),
      ),
      refused(
        { type: 'object', properties: { size: {} } },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].properties[size].type',
            'Required value: must not be empty for specified object fields',
            'FieldValueRequired',
          ],
        ]),
      ),
      refused(
        { type: 'object', properties: { size: { type: 'number', format: 'int32', default: 'x' } } },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].properties[size].default',
            'Invalid value: "string":  in body must be of type number: "string"',
            'FieldValueTypeInvalid',
          ],
        ]),
      ),
      refused(
        { type: 'array' },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].items',
            'Required value: must be specified',
            'FieldValueRequired',
          ],
        ]),
      ),
      refused(
        {
          type: 'object',
          additionalProperties: { type: 'string' },
          properties: { a: { type: 'string' } },
        },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].additionalProperties',
            'Forbidden: additionalProperties and properties are mutual exclusive',
            'FieldValueForbidden',
          ],
        ]),
      ),
      refused(
        {
          type: 'object',
          properties: {
            list: {
              type: 'array',
              items: { type: 'object', properties: { a: { type: 'string' } } },
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['a'],
            },
          },
        },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].properties[list].items.properties[a].default',
            'Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
            'FieldValueRequired',
          ],
        ]),
      ),
      refused(
        {
          type: 'object',
          properties: {
            list: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' },
          },
        },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].properties[list].x-kubernetes-list-map-keys',
            'Required value: must not be empty if x-kubernetes-list-type is map',
            'FieldValueRequired',
          ],
        ]),
      ),
      refused(
        { type: 'object', properties: { name: { type: 'string', pattern: '(' } } },
        {
          reason: 'Invalid',
          message: badPattern,
          details: {
            name: toys.name,
            group: 'apiextensions.k8s.io',
            kind: 'CustomResourceDefinition',
            causes: [
              {
                reason: 'FieldValueInvalid',
                message: badPattern,
                field: 'spec.validation.openAPIV3Schema.properties[spec].properties[name].pattern',
              },
            ],
          },
        },
      ),
      {
        request: post(
          paths.definitions,
          toyDefinition({ name: 'v1', served: true, storage: true }),
        ),
        expect: {
          status: 422,
          error: invalid(crd, toys.name, [
            ['spec.versions[0].schema.openAPIV3Schema', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
    ],
  },
  {
    id: 'rule-beside-default',
    reason: 'a rule holds for the default value of its field, which is no whole object',
    steps: [
      {
        request: post(
          `${paths.definitions}?dryRun=All`,
          toysWith({
            type: 'object',
            properties: { image: { type: 'string', default: 'postgres:14', ...postgresOnly } },
          }),
        ),
        expect: { status: 201 },
      },
      {
        ...refused(
          {
            type: 'object',
            properties: { image: { type: 'string', default: 'nginx', ...postgresOnly } },
          },
          invalid(crd, toys.name, [
            [
              'spec.validation.openAPIV3Schema.properties[spec].properties[image].default',
              'Invalid value: "nginx": must be PostgreSQL',
            ],
          ]),
        ),
        since: since135.ruleValues,
      },
    ],
  },
  {
    id: 'transition-rule-beside-default',
    reason: 'a rule that compares with oldSelf sees a default value as its own old value',
    steps: [
      refused(
        {
          type: 'object',
          properties: {
            disk: {
              type: 'object',
              default: {},
              properties: { size: { type: 'integer', default: 1 } },
              'x-kubernetes-validations': [
                { rule: 'self.size >= oldSelf.size', message: 'size cannot shrink' },
              ],
            },
          },
        },
        invalid(crd, toys.name, [
          [
            'spec.validation.openAPIV3Schema.properties[spec].properties[disk].default',
            'Invalid value: "object": no such key: size evaluating rule: size cannot shrink',
          ],
        ]),
      ),
    ],
  },
];
