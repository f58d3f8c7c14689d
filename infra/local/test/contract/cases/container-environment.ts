import { container, steps, variable } from '../container-manifests.ts';
import type { ContractCase } from '../contract-case.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'env',
    reason: 'variables have printable names, and one known source',
    steps: steps([
      {
        given: container({ env: [{ name: 'a=b', value: '1' }] }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].name',
            'Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
          ],
        ],
      },
      {
        given: container({ env: [{ name: 'é', value: '1' }] }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].name',
            'Invalid value: "é": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
          ],
        ],
      },
      { given: container({ env: [{ name: '1 A', value: '1' }] }), want: 'accepted' },
      {
        given: variable({ valueFrom: { secretKeyRef: { name: 'A_', key: 'k' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.name',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: variable({ valueFrom: { secretKeyRef: { name: 's', key: 'a b' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.key',
            "Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
          ],
        ],
      },
      {
        given: variable({ valueFrom: { configMapKeyRef: { name: 's', key: '..' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.configMapKeyRef.key',
            'Invalid value: "..": must not be \'..\'',
          ],
        ],
      },
      {
        given: variable({ valueFrom: { configMapKeyRef: { name: '', key: '' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.configMapKeyRef.name',
            "Invalid value: \"\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
          [
            'spec.template.spec.containers[0].env[0].valueFrom.configMapKeyRef.key',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: variable({ valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
            'Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x',
          ],
        ],
      },
      {
        given: variable({ valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
        want: 'accepted',
      },
      {
        given: variable({ valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } }),
        want: 'accepted',
      },
      {
        given: variable({ valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.fieldRef',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: variable({ valueFrom: { fieldRef: { fieldPath: "metadata.name['a']" } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
            "Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does not support subscript: metadata.name['a']",
          ],
        ],
      },
      {
        given: variable({
          valueFrom: { fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } },
        }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
            'Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
          ],
        ],
      },
      {
        given: variable({ valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }),
        want: 'accepted',
      },
      {
        given: variable({ valueFrom: { resourceFieldRef: { resource: 'limits.gpu' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.resourceFieldRef.resource',
            'Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: variable({ valueFrom: { resourceFieldRef: { resource: '' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.resourceFieldRef.resource',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: variable({
          valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2m' } },
        }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor',
            'Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
          ],
        ],
      },
      {
        given: variable({
          valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1m' } },
        }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor',
            'Invalid value: "limits.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
          ],
        ],
      },
      {
        given: variable({ value: '1', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
        want: [
          [
            'spec.template.spec.containers[0].env[0].valueFrom',
            'Invalid value: "": may not be specified when `value` is not empty',
          ],
        ],
      },
    ]),
  },
  {
    id: 'env-from',
    reason: 'the sources of variables have legal names',
    steps: steps([
      {
        given: container({ envFrom: [{ secretRef: { name: 'A_' } }] }),
        want: [
          [
            'spec.template.spec.containers[0].envFrom[0].secretRef.name',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: container({ envFrom: [{ configMapRef: { name: 'A_' } }] }),
        want: [
          [
            'spec.template.spec.containers[0].envFrom[0].configMapRef.name',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: container({ envFrom: [{ prefix: 'a=', configMapRef: { name: 'a' } }] }),
        want: [
          [
            'spec.template.spec.containers[0].envFrom[0].prefix',
            'Invalid value: "a=": a valid environment variable name must consist only of printable ASCII characters other than \'=\'',
          ],
        ],
      },
      {
        given: container({ envFrom: [{ prefix: 'A_', configMapRef: { name: 'a' } }] }),
        want: 'accepted',
      },
      {
        given: container({ envFrom: [{ secretRef: { name: 'a' }, configMapRef: { name: 'a' } }] }),
        want: [
          [
            'spec.template.spec.containers[0].envFrom',
            'Invalid value: "": may not have more than one field specified at a time',
          ],
        ],
      },
    ]),
  },
];
