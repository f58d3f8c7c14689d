import { since136 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { autoscaler, configMap, ingress, paths, secret, service } from '../objects.ts';
import { mergePatch, post, put } from '../requests.ts';

const { services, secrets, ingresses, autoscalers } = paths;

export const cases: readonly ContractCase[] = [
  {
    id: 'secret',
    reason: 'a Secret keeps its type, and all of it when immutable',
    steps: [
      { request: post(secrets, secret('x')), expect: { status: 201 } },
      {
        request: mergePatch(`${secrets}/x`, { type: 'example.com/other' }),
        expect: {
          status: 422,
          error: invalid('Secret', 'x', [
            ['type', 'Invalid value: "example.com/other": field is immutable'],
          ]),
        },
      },
      { request: mergePatch(`${secrets}/x`, { immutable: true }), expect: { status: 200 } },
      {
        request: mergePatch(`${secrets}/x`, { data: { a: 'Mg==' } }),
        expect: {
          status: 422,
          error: invalid('Secret', 'x', [
            [
              'data',
              'Forbidden: field is immutable when `immutable` is set',
              'FieldValueForbidden',
            ],
          ]),
        },
      },
      {
        request: mergePatch(`${secrets}/x`, { metadata: { labels: { l: '1' } } }),
        expect: { status: 200 },
      },
      {
        request: post(secrets, secret('y', { data: { 'not valid': 'Mg==' } })),
        expect: {
          status: 422,
          error: invalid('Secret', 'y', [
            [
              'data[not valid]',
              "Invalid value: \"not valid\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'ingress',
    reason: 'an Ingress needs valid paths',
    steps: [
      {
        request: post(ingresses, ingress('x', { rules: [] })),
        expect: {
          status: 422,
          error: invalid('Ingress.networking.k8s.io', 'x', [
            ['spec', 'Invalid value: []: either `defaultBackend` or `rules` must be specified'],
          ]),
        },
      },
      {
        request: post(
          ingresses,
          ingress('x', {
            rules: [
              {
                host: 'Bad_Host',
                http: {
                  paths: [
                    {
                      path: 'x',
                      pathType: 'Prefix',
                      backend: { service: { name: 'web', port: { number: 80 } } },
                    },
                  ],
                },
              },
            ],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Ingress.networking.k8s.io', 'x', [
            [
              'spec.rules[0].host',
              "Invalid value: \"Bad_Host\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
            ],
            ['spec.rules[0].http.paths[0].path', 'Invalid value: "x": must be an absolute path'],
          ]),
        },
      },
      {
        request: post(
          ingresses,
          ingress('x', {
            rules: [
              {
                http: {
                  paths: [
                    { path: '/', backend: { service: { name: 'web', port: { number: 80 } } } },
                  ],
                },
              },
            ],
          }),
        ),
        expect: {
          status: 422,
          error: invalid('Ingress.networking.k8s.io', 'x', [
            [
              'spec.rules[0].http.paths[0].pathType',
              'Required value: pathType must be specified',
              'FieldValueRequired',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'autoscaler',
    reason: 'an autoscaler needs valid bounds',
    steps: [
      {
        since: since136.autoscalerMaximum,
        request: post(autoscalers, autoscaler('x', { maxReplicas: 0 })),
        expect: {
          status: 422,
          error: invalid('HorizontalPodAutoscaler.autoscaling', 'x', [
            [
              'spec.maxReplicas',
              'Required value: must be set and greater than 0',
              'FieldValueRequired',
            ],
            [
              'spec.maxReplicas',
              'Invalid value: 0: must be greater than or equal to `minReplicas`',
            ],
          ]),
        },
      },
      {
        request: post(autoscalers, autoscaler('x', { minReplicas: 5 })),
        expect: {
          status: 422,
          error: invalid('HorizontalPodAutoscaler.autoscaling', 'x', [
            [
              'spec.maxReplicas',
              'Invalid value: 3: must be greater than or equal to `minReplicas`',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'config-map',
    reason: 'keys of a ConfigMap are file names',
    steps: [
      {
        request: post(paths.configMaps, configMap('x', { 'not valid': '1' })),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            [
              'data[not valid]',
              "Invalid value: \"not valid\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
            ],
          ]),
        },
      },
      {
        request: post(paths.configMaps, { ...configMap('x'), immutable: true }),
        expect: { status: 201 },
      },
      {
        request: put(`${paths.configMaps}/x`, { ...configMap('x', { a: '2' }), immutable: true }),
        expect: {
          status: 422,
          error: invalid('ConfigMap', 'x', [
            [
              'data',
              'Forbidden: field is immutable when `immutable` is set',
              'FieldValueForbidden',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'service',
    reason: 'a Service needs ports with distinct names',
    steps: [
      {
        request: post(services, service('x', { ports: [] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [['spec.ports', 'Required value', 'FieldValueRequired']]),
        },
      },
      {
        request: post(services, service('x', { ports: [{ port: 0 }] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.ports[0].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
            [
              'spec.ports[0].targetPort',
              'Invalid value: 0: must be between 1 and 65535, inclusive',
            ],
          ]),
        },
      },
      {
        request: post(services, service('x', { ports: [{ port: 80 }, { port: 81 }] })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            ['spec.ports[0].name', 'Required value', 'FieldValueRequired'],
            ['spec.ports[1].name', 'Required value', 'FieldValueRequired'],
          ]),
        },
      },
      {
        request: post(services, service('x', { type: 'Bogus' })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.type',
              'Unsupported value: "Bogus": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
              'FieldValueNotSupported',
            ],
          ]),
        },
      },
      {
        request: post(services, service('x', { clusterIP: '1.2.3.4' })),
        expect: {
          status: 422,
          error: invalid('Service', 'x', [
            [
              'spec.clusterIPs',
              'Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
            ],
          ]),
        },
      },
    ],
  },
];
