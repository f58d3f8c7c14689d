import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { daemonSet, onceTemplate, paths } from '../objects.ts';

const steps = (rows: Parameters<typeof judged>[2]) =>
  judged(paths.daemonSets, 'DaemonSet.apps', rows);

export const cases: readonly ContractCase[] = [
  {
    id: 'selectors',
    reason: 'a selector is there, is not empty, and matches the pods',
    steps: steps([
      {
        given: daemonSet('x', { selector: undefined }),
        want: [
          [
            'spec.template.metadata.labels',
            'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
          ],
        ],
      },
      {
        given: daemonSet('x', { selector: {} }),
        want: [['spec.selector', 'Invalid value: {}: empty selector is invalid for daemonset']],
      },
      {
        given: daemonSet('x', { selector: { matchLabels: { app: 'other' } } }),
        want: [
          [
            'spec.template.metadata.labels',
            'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
          ],
        ],
      },
      {
        given: daemonSet('x', { selector: { matchLabels: { 'a b': 'c' } } }),
        want: [
          [
            'spec.selector.matchLabels',
            "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
          ],
        ],
      },
    ]),
  },
  {
    id: 'templates',
    reason: 'the pods of a DaemonSet run for good',
    steps: steps([
      {
        given: daemonSet('x', { template: undefined }),
        want: [
          [
            'spec.template.metadata.labels',
            'Invalid value: null: `selector` does not match template `labels`',
          ],
          ['spec.template.spec.containers', 'Required value', 'FieldValueRequired'],
        ],
      },
      {
        given: daemonSet('x', { template: onceTemplate({ activeDeadlineSeconds: 5 }) }),
        want: [
          [
            'spec.template.spec.restartPolicy',
            'Unsupported value: "Never": supported values: "Always"',
            'FieldValueNotSupported',
          ],
          [
            'spec.template.spec.activeDeadlineSeconds',
            'Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
            'FieldValueForbidden',
          ],
        ],
      },
    ]),
  },
  {
    id: 'strategies',
    reason: 'a rolling update replaces pods or adds some, not both and not neither',
    steps: steps([
      { given: daemonSet('x', { updateStrategy: { type: 'OnDelete' } }), want: 'accepted' },
      {
        given: daemonSet('x', { updateStrategy: { type: 'Sometimes' } }),
        want: [
          [
            'spec.updateStrategy',
            'Unsupported value: {"Type":"Sometimes","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: daemonSet('x', { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } }),
        want: [
          [
            'spec.updateStrategy.rollingUpdate.maxUnavailable',
            'Required value: cannot be 0 when maxSurge is 0',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: daemonSet('x', { updateStrategy: { rollingUpdate: { maxSurge: 1 } } }),
        want: [
          [
            'spec.updateStrategy.rollingUpdate.maxSurge',
            'Invalid value: 1: may not be set when maxUnavailable is non-zero',
          ],
        ],
      },
      {
        given: daemonSet('x', {
          updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        }),
        want: 'accepted',
      },
      {
        given: daemonSet('x', { updateStrategy: { rollingUpdate: { maxUnavailable: '101%' } } }),
        want: [
          [
            'spec.updateStrategy.rollingUpdate.maxUnavailable',
            'Invalid value: "101%": must not be greater than 100%',
          ],
        ],
      },
      {
        given: daemonSet('x', { updateStrategy: { rollingUpdate: { maxUnavailable: 'x' } } }),
        want: [
          [
            'spec.updateStrategy.rollingUpdate.maxUnavailable',
            "Invalid value: \"x\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
          ],
          [
            'spec.updateStrategy.rollingUpdate.maxUnavailable',
            'Required value: cannot be 0 when maxSurge is 0',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: daemonSet('x', { updateStrategy: { rollingUpdate: { maxUnavailable: -1 } } }),
        want: [
          [
            'spec.updateStrategy.rollingUpdate.maxUnavailable',
            'Invalid value: -1: must be greater than or equal to 0',
          ],
        ],
      },
      {
        given: daemonSet('x', { minReadySeconds: -1, revisionHistoryLimit: -1 }),
        want: [
          ['spec.minReadySeconds', 'Invalid value: -1: must be greater than or equal to 0'],
          ['spec.revisionHistoryLimit', 'Invalid value: -1: must be greater than or equal to 0'],
        ],
      },
    ]),
  },
];
