import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { expressions, spread, steps, toleration, web } from '../pod-manifests.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'spread',
    reason: 'topology spread constraints are unique',
    steps: steps([
      { given: spread({ labelSelector: web }), want: 'accepted' },
      {
        given: spread({ maxSkew: 0 }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].maxSkew',
            'Invalid value: 0: must be greater than zero',
          ],
        ],
      },
      {
        given: spread({ topologyKey: '' }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].topologyKey',
            'Required value: can not be empty',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: spread({ whenUnsatisfiable: 'x' }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].whenUnsatisfiable',
            'Unsupported value: "x": supported values: "DoNotSchedule", "ScheduleAnyway"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: spread({}, {}),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}',
            'Duplicate value: "{zone, DoNotSchedule}"',
            'FieldValueDuplicate',
          ],
        ],
      },
      {
        given: spread({ minDomains: 0 }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].minDomains',
            'Invalid value: 0: must be greater than zero',
          ],
        ],
      },
      {
        given: spread({ minDomains: 1, whenUnsatisfiable: 'ScheduleAnyway' }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].minDomains',
            'Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
          ],
        ],
      },
      {
        given: spread({ nodeAffinityPolicy: 'x' }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].nodeAffinityPolicy',
            'Unsupported value: "x": supported values: "Honor", "Ignore"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: spread({ matchLabelKeys: ['a'] }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].matchLabelKeys',
            'Forbidden: must not be specified when labelSelector is not set',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: spread({ labelSelector: expressions({ key: 'a', operator: 'x' }) }),
        want: [
          [
            'spec.template.spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator',
            'Invalid value: "x": not a valid selector operator',
          ],
        ],
      },
    ]),
  },
  {
    id: 'tolerations',
    reason: 'a toleration names a possible taint',
    steps: steps([
      {
        given: toleration({ key: 'a b', operator: 'Exists' }),
        want: [
          [
            'spec.template.spec.tolerations[0].key',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
      {
        given: toleration({ key: 'a', value: 'b c' }),
        want: [
          [
            'spec.template.spec.tolerations[0].operator',
            "Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          ],
        ],
      },
      {
        given: toleration({ key: 'a', operator: 'x' }),
        want: [
          [
            'spec.template.spec.tolerations[0].operator',
            'Unsupported value: "x": supported values: "Equal", "Exists"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        since: since135.tolerations,
        given: toleration({ key: 'a', operator: 'Lt', value: '1' }),
        want: [
          [
            'spec.template.spec.tolerations[0].operator',
            'Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: toleration({ key: 'a', operator: 'Exists', effect: 'x' }),
        want: [
          [
            'spec.template.spec.tolerations[0].effect',
            'Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
            'FieldValueNotSupported',
          ],
        ],
      },
    ]),
  },
];
