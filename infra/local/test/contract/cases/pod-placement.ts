import type { ContractCase } from '../contract-case.ts';
import {
  apart,
  expressions,
  node,
  pod,
  preferred,
  steps,
  together,
  web,
} from '../pod-manifests.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'node-affinity',
    reason: 'node affinity uses labels and known operators',
    steps: steps([
      {
        given: node(),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms',
            'Required value: must have at least one node selector term',
            'FieldValueRequired',
          ],
        ],
      },
      { given: node(expressions({ key: 'a', operator: 'In', values: ['b'] })), want: 'accepted' },
      {
        given: node(expressions({ key: 'a', operator: 'In' })),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values',
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: node(expressions({ key: 'a', operator: 'Exists', values: ['b'] })),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values',
            "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: node(expressions({ key: 'a', operator: 'Gt', values: ['1', '2'] })),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values',
            "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: node(expressions({ key: 'a', operator: 'Equals', values: ['1'] })),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
            'Invalid value: "Equals": not a valid selector operator',
          ],
        ],
      },
      {
        given: node(expressions({ key: 'a b', operator: 'Exists' })),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: node(expressions({ key: 'a', operator: 'In', values: ['b c'] })),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]',
            "Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          ],
        ],
      },
      {
        given: node({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }),
        want: 'accepted',
      },
      {
        given: node({ matchFields: [{ key: 'a', operator: 'In', values: ['n'] }] }),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key',
            'Invalid value: "a": not a valid field selector key',
          ],
        ],
      },
      {
        given: node({ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator',
            'Invalid value: "Exists": not a valid selector operator',
          ],
        ],
      },
      {
        given: pod({
          affinity: { nodeAffinity: { [preferred]: [{ weight: 0, preference: {} }] } },
        }),
        want: [
          [
            'spec.template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
            'Invalid value: 0: must be in the range 1-100',
          ],
        ],
      },
    ]),
  },
  {
    id: 'pod-affinity',
    reason: 'pod affinity uses labels and a topology key',
    steps: steps([
      { given: together({ labelSelector: web, topologyKey: 'zone' }), want: 'accepted' },
      {
        given: together({ labelSelector: web, topologyKey: '' }),
        want: [
          [
            'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
            'Required value: can not be empty',
            'FieldValueRequired',
          ],
          [
            'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
            'Invalid value: "": name part must be non-empty',
          ],
          [
            'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
            "Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: together({ labelSelector: { matchLabels: { 'a b': 'c' } }, topologyKey: 'zone' }),
        want: [
          [
            'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: together({
          labelSelector: expressions({ key: 'a', operator: 'In' }),
          topologyKey: 'zone',
        }),
        want: [
          [
            'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values',
            "Required value: must be specified when `operator` is 'In' or 'NotIn'",
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: together({ labelSelector: web, topologyKey: 'zone', namespaces: ['A_'] }),
        want: [
          [
            'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace',
            "Invalid value: \"A_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
          ],
        ],
      },
      {
        given: together({ topologyKey: 'zone', matchLabelKeys: ['a'] }),
        want: [
          [
            'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys',
            'Forbidden: must not be specified when labelSelector is not set',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: apart({ weight: 101, podAffinityTerm: { labelSelector: web, topologyKey: 'zone' } }),
        want: [
          [
            'spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight',
            'Invalid value: 101: must be in the range 1-100',
          ],
        ],
      },
      {
        given: apart({ weight: 1, podAffinityTerm: { labelSelector: web, topologyKey: 'a b' } }),
        want: [
          [
            'spec.template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.topologyKey',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
    ]),
  },
];
