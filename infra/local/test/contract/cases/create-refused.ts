import { since136 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { badRequest, invalid } from '../errors.ts';
import { configMap, deployment, gadget, paths, secret, service, website } from '../objects.ts';
import { post } from '../requests.ts';

const { configMaps, gadgets } = paths;

export const cases: readonly ContractCase[] = [
  {
    id: 'no-name',
    reason: 'an object needs a name',
    steps: [
      {
        request: post(configMaps, configMap({})),
        expect: {
          status: 422,
          error: {
            message:
              'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
            reason: 'Invalid',
            details: {
              kind: 'ConfigMap',
              causes: [
                {
                  reason: 'FieldValueRequired',
                  message: 'Required value: name or generateName is required',
                  field: 'metadata.name',
                },
              ],
            },
          },
        },
      },
      {
        request: post(gadgets, gadget({})),
        expect: {
          status: 422,
          error: {
            message:
              'Gadget.contract.example.com "" is invalid: [metadata.name: Required value: name or generateName is required, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
            reason: 'Invalid',
            details: {
              group: 'contract.example.com',
              kind: 'Gadget',
              causes: [
                {
                  reason: 'FieldValueRequired',
                  message: 'Required value: name or generateName is required',
                  field: 'metadata.name',
                },
                {
                  reason: 'FieldValueInvalid',
                  message:
                    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
                  field: '<nil>',
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    id: 'bad-names',
    reason: 'names follow the rules of their kind',
    steps: [
      {
        request: post(configMaps, configMap('X_y')),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'X_y', [
            [
              'metadata.name',
              "Invalid value: \"X_y\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            ],
          ]),
        },
      },
      {
        since: since136.serviceNames,
        request: post(paths.services, service('1a')),
        expect: { status: 201 },
      },
      {
        since: since136.serviceNames,
        request: post(paths.services, service('a.b')),
        expect: {
          status: 422,
          error: invalid('Service', 'a.b', [
            ['metadata.name', 'Invalid value: "a.b": must not contain dots'],
          ]),
        },
      },
      {
        request: post(gadgets, gadget('-x')),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', '-x', [
            [
              'metadata.name',
              "Invalid value: \"-x\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            ],
          ]),
        },
      },
      { request: post(gadgets, gadget('1.x')), expect: { status: 201 } },
      { request: post(paths.deployments, deployment('1.x')), expect: { status: 201 } },
    ],
  },
  {
    id: 'bad-metadata',
    reason: 'labels, annotations and owner references are checked on every kind',
    steps: [
      {
        request: post(configMaps, configMap({ name: 'x', labels: { 'a b': 'c' } })),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            [
              'metadata.labels',
              "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            ],
          ]),
        },
      },
      {
        request: post(gadgets, gadget({ name: 'x', labels: { a: 'not valid' } })),
        expect: {
          status: 422,
          error: invalid('Gadget.contract.example.com', 'x', [
            [
              'metadata.labels',
              "Invalid value: \"not valid\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
            ],
          ]),
        },
      },
      {
        request: post(configMaps, configMap({ name: 'x', annotations: { 'a b': 'c' } })),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            [
              'metadata.annotations',
              "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            ],
          ]),
        },
      },
      {
        request: post(
          configMaps,
          configMap({
            name: 'x',
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: '' }],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            ['metadata.ownerReferences.uid', 'Invalid value: "": must not be empty'],
          ]),
        },
      },
      {
        request: post(
          configMaps,
          configMap({
            name: 'x',
            ownerReferences: ['1', '2'].map((uid) => ({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: uid,
              uid,
              controller: true,
            })),
          }),
        ),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            [
              'metadata.ownerReferences',
              'Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"1","uid":"1","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"2","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/1 and ConfigMap/2',
            ],
          ]),
        },
      },
      {
        request: post(configMaps, configMap({ name: 'x', finalizers: ['short'] })),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            [
              'metadata.finalizers[0]',
              'Invalid value: "short": name is neither a standard finalizer name nor is it fully qualified',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'other-namespace',
    reason: 'body and URL must agree',
    steps: [
      {
        request: post(configMaps, configMap({ name: 'x', namespace: 'elsewhere' })),
        expect: {
          status: 400,
          error: badRequest(
            'the namespace of the provided object does not match the namespace sent on the request',
          ),
        },
      },
      {
        request: post(gadgets, gadget({ name: 'x', namespace: 'elsewhere' })),
        expect: {
          status: 400,
          error: badRequest(
            'the namespace of the provided object does not match the namespace sent on the request',
          ),
        },
      },
    ],
  },
  {
    id: 'other-kind',
    reason: 'a body of another kind is refused',
    steps: [
      {
        request: post(configMaps, secret('x')),
        expect: {
          status: 400,
          error: badRequest(/^Secret in version "v1" cannot be handled as a ConfigMap: /),
        },
      },
      {
        request: post(gadgets, website('x')),
        expect: {
          status: 400,
          error: badRequest(
            'the API version in the data (kubecon.my.domain/v1beta1) does not match the expected API version (contract.example.com/v1)',
          ),
        },
      },
      {
        request: post(configMaps, { ...configMap('x'), apiVersion: 'v2' }),
        expect: {
          status: 400,
          error: badRequest(
            /^ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2"/,
          ),
        },
      },
      {
        request: post(gadgets, { ...gadget('x'), kind: 'Thing' }),
        expect: {
          status: 422,
          error: invalid('Thing.contract.example.com', 'x', [
            ['kind', 'Invalid value: "Thing": must be Gadget'],
          ]),
        },
      },
    ],
  },
  {
    id: 'no-kind',
    reason: 'a built-in may be sent without its kind, a custom resource may not',
    steps: [
      {
        request: post(configMaps, { metadata: { name: 'x' } }),
        expect: { status: 201, body: { kind: 'ConfigMap', apiVersion: 'v1' } },
      },
      {
        request: post(gadgets, { metadata: { name: 'x' } }),
        expect: {
          status: 400,
          error: badRequest(
            /^the object provided is unrecognized \(must be of type Gadget\): Object 'Kind' is missing in /,
          ),
        },
      },
    ],
  },
];
