import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { applied, updated } from '../managers.ts';
import { configMap, deployment, gadget, paths, service } from '../objects.ts';
import { apply, put, theirs } from '../requests.ts';

const { configMaps, deployments, gadgets, services } = paths;
const x = `${configMaps}/x`;
const g = `${gadgets}/x`;

export const cases: readonly ContractCase[] = [
  {
    id: 'unknown-field',
    reason: 'a field the schema does not know is refused, not lost',
    steps: [
      {
        request: apply(x, { ...configMap('x'), bogus: 1 }),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .bogus: field not declared in schema',
          },
        },
      },
      {
        request: apply(`${deployments}/x`, deployment('x', { bogus: 1 })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; apps/v1, Kind=Deployment): .spec.bogus: field not declared in schema',
          },
        },
      },
      {
        request: apply(g, gadget('x', { bogus: 1 })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; contract.example.com/v1, Kind=Gadget): .spec.bogus: field not declared in schema',
          },
        },
      },
    ],
  },
  {
    id: 'wrong-type',
    reason: 'a value of the wrong type is refused',
    steps: [
      {
        request: apply(x, configMap('x', { a: 1 })),
        expect: {
          status: 500,
          error: {
            message: /: \.data\.a: expected string, got /,
          },
        },
      },
      {
        request: apply(g, gadget('x', { size: 'big' })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; contract.example.com/v1, Kind=Gadget): .spec.size: expected numeric (int or float), got string',
          },
        },
      },
      {
        request: apply(g, gadget('x', { ports: {} })),
        expect: {
          status: 500,
          error: {
            message: /: \.spec\.ports: expected list, got /,
          },
        },
      },
      {
        request: apply(`${deployments}/x`, deployment('x', { replicas: 'many' })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string',
          },
        },
      },
      {
        request: apply(`${services}/x`, service('x', { ports: [{ port: '80' }] })),
        expect: {
          status: 500,
          error: {
            message:
              'failed to create typed patch object (/x; /v1, Kind=Service): .spec.ports[port="80",protocol="TCP"].port: expected numeric (int or float), got string',
          },
        },
      },
    ],
  },
  {
    id: 'null-values',
    reason: 'null is not a value',
    steps: [
      {
        request: apply(x, configMap({ name: 'x', labels: null }, { a: '1' })),
        expect: {
          status: 201,
          body: { metadata: { labels: undefined } },
          managers: [applied('ours', 'v1', '{"f:data":{"f:a":{}},"f:metadata":{"f:labels":{}}}')],
        },
      },
      {
        request: apply(g, gadget('x', { owner: null })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'spec.owner',
              'Invalid value: "null": spec.owner in body must be of type string: "null"',
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
        request: apply(g, gadget('x', { size: null, nested: { note: null } })),
        expect: {
          status: 201,
          at: { spec: { mode: 'fast', nested: { depth: 2, note: null }, size: 1 } },
          managers: [
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:spec":{"f:nested":{"f:note":{}},"f:size":{}}}',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'empty-values',
    reason: 'empty maps and lists are owned although they hold nothing',
    steps: [
      {
        request: apply(g, gadget('x', { extra: {}, tags: [], free: {}, nested: {}, steps: [] })),
        expect: {
          status: 201,
          at: {
            spec: {
              extra: {},
              free: {},
              mode: 'fast',
              nested: { depth: 2 },
              size: 1,
              steps: [],
              tags: [],
            },
          },
          managers: [
            applied(
              'ours',
              'contract.example.com/v1',
              '{"f:spec":{"f:extra":{},"f:free":{},"f:nested":{},"f:steps":{}}}',
            ),
          ],
        },
      },
      {
        request: apply(x, configMap({ name: 'x', labels: {}, annotations: {} }, {})),
        expect: {
          status: 201,
          body: { data: undefined },
          managers: [
            applied('ours', 'v1', '{"f:data":{},"f:metadata":{"f:annotations":{},"f:labels":{}}}'),
          ],
        },
      },
      {
        request: apply(`${services}/x`, service('x', { externalIPs: [] })),
        expect: {
          status: 201,
          body: { spec: { externalIPs: undefined } },
          managers: [
            applied(
              'ours',
              'v1',
              '{"f:spec":{"f:externalIPs":{},"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{},"f:protocol":{}}},"f:selector":{}}}',
            ),
          ],
        },
      },
    ],
  },
  {
    id: 'after-put',
    reason: 'a replacing write takes the fields it changes and no others',
    steps: [
      {
        name: 'made',
        request: apply(x, configMap('x', { a: '1', b: '1' })),
        expect: { status: 201 },
      },
      {
        request: put(x, configMap('x', { a: '1', c: '1' }), theirs),
        expect: {
          status: 200,
          managers: [
            applied('ours', 'v1', '{"f:data":{"f:a":{}}}'),
            updated('theirs', 'v1', '{"f:data":{"f:c":{}}}'),
          ],
        },
      },
    ],
  },
  {
    id: 'other-version',
    reason: 'one manager may apply in two versions',
    steps: [
      { request: apply(g, gadget('x', { size: 2, owner: 'me' })), expect: { status: 201 } },
      {
        request: apply(`${paths.alphaGadgets}/x`, {
          ...gadget('x', { owner: 'me' }),
          apiVersion: 'contract.example.com/v1alpha1',
        }),
        expect: {
          status: 200,
          body: { spec: { size: 1 } },
          managers: [applied('ours', 'contract.example.com/v1alpha1', '{"f:spec":{"f:owner":{}}}')],
        },
      },
    ],
  },
];
