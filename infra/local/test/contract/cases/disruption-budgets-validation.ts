import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { budget, paths } from '../objects.ts';

const steps = (rows: Parameters<typeof judged>[2]) =>
  judged(paths.budgets, 'PodDisruptionBudget.policy', rows);

export const cases: readonly ContractCase[] = [
  {
    id: 'amounts',
    reason: 'a budget states what is available or what is not, in pods or in percent',
    steps: steps([
      { given: budget('x'), want: 'accepted' },
      { given: budget('x', { minAvailable: '50%' }), want: 'accepted' },
      {
        given: budget('x', { minAvailable: 1, maxUnavailable: 1 }),
        want: [
          [
            'spec',
            'Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"app":"web"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
          ],
        ],
      },
      {
        given: budget('x', { minAvailable: -1 }),
        want: [['spec.minAvailable', 'Invalid value: -1: must be greater than or equal to 0']],
      },
      {
        given: budget('x', { maxUnavailable: '101%' }),
        want: [['spec.maxUnavailable', 'Invalid value: "101%": must not be greater than 100%']],
      },
      {
        given: budget('x', { minAvailable: 'half' }),
        want: [
          [
            'spec.minAvailable',
            "Invalid value: \"half\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
          ],
        ],
      },
    ]),
  },
  {
    id: 'settings',
    reason: 'its selector is one and its policy is known',
    steps: steps([
      { given: budget('x', { minAvailable: 1, selector: undefined }), want: 'accepted' },
      {
        given: budget('x', { selector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }),
        want: [
          [
            'spec.selector.matchExpressions[0].operator',
            'Invalid value: "Is": not a valid selector operator',
          ],
        ],
      },
      { given: budget('x', { unhealthyPodEvictionPolicy: 'AlwaysAllow' }), want: 'accepted' },
      {
        given: budget('x', { unhealthyPodEvictionPolicy: 'Never' }),
        want: [
          [
            'spec.unhealthyPodEvictionPolicy',
            'Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
            'FieldValueNotSupported',
          ],
        ],
      },
    ]),
  },
];
