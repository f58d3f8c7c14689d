import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { job, onceTemplate, paths } from '../objects.ts';

const steps = (rows: Parameters<typeof judged>[2]) => judged(paths.jobs, 'Job.batch', rows);

export const cases: readonly ContractCase[] = [
  {
    id: 'counts',
    reason: 'no count and no time is negative',
    steps: steps([
      {
        given: job('x', { parallelism: -1 }),
        want: [['spec.parallelism', 'Invalid value: -1: must be greater than or equal to 0']],
      },
      {
        given: job('x', { completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1 }),
        want: [
          ['spec.completions', 'Invalid value: -1: must be greater than or equal to 0'],
          ['spec.activeDeadlineSeconds', 'Invalid value: -1: must be greater than or equal to 0'],
          ['spec.backoffLimit', 'Invalid value: -1: must be greater than or equal to 0'],
        ],
      },
      {
        given: job('x', { ttlSecondsAfterFinished: -1 }),
        want: [
          ['spec.ttlSecondsAfterFinished', 'Invalid value: -1: must be greater than or equal to 0'],
        ],
      },
    ]),
  },
  {
    id: 'restarts',
    reason: 'the pods of a Job end, so they are not always restarted',
    steps: steps([
      {
        given: job('x', { template: onceTemplate({ restartPolicy: 'Always' }) }),
        want: [
          [
            'spec.template.spec.restartPolicy',
            'Required value: valid values: "OnFailure", "Never"',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: job('x', { template: onceTemplate({ restartPolicy: undefined }) }),
        want: [
          [
            'spec.template.spec.restartPolicy',
            'Required value: valid values: "OnFailure", "Never"',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: job('x', { template: onceTemplate({ restartPolicy: 'Sometimes' }) }),
        want: [
          [
            'spec.template.spec.restartPolicy',
            'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
            'FieldValueNotSupported',
          ],
          [
            'spec.template.spec.restartPolicy',
            'Unsupported value: "Sometimes": supported values: "OnFailure", "Never"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: job('x', {
          template: onceTemplate({ restartPolicy: 'OnFailure', activeDeadlineSeconds: 5 }),
        }),
        want: 'accepted',
      },
    ]),
  },
  {
    id: 'indexes',
    reason: 'what counts by index needs indexes',
    steps: steps([
      { given: job('x', { completionMode: 'Indexed' }), want: 'accepted' },
      { given: job('x', { completionMode: 'Indexed', completions: 2 }), want: 'accepted' },
      {
        given: job('x', { completionMode: 'Some' }),
        want: [
          [
            'spec.completionMode',
            'Unsupported value: "Some": supported values: "NonIndexed", "Indexed"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: job('x', {
          completionMode: 'Indexed',
          completions: 2,
          maxFailedIndexes: 3,
          backoffLimitPerIndex: 1,
        }),
        want: [
          ['spec.maxFailedIndexes', 'Invalid value: 3: must be less than or equal to completions'],
        ],
      },
      {
        given: job('x', { maxFailedIndexes: 1 }),
        want: [
          [
            'spec.backoffLimitPerIndex',
            'Required value: when maxFailedIndexes is specified',
            'FieldValueRequired',
          ],
          ['spec.maxFailedIndexes', 'Invalid value: 1: requires indexed completion mode'],
        ],
      },
      {
        given: job('x', { backoffLimitPerIndex: 1 }),
        want: [['spec.backoffLimitPerIndex', 'Invalid value: 1: requires indexed completion mode']],
      },
      {
        given: job('x', { successPolicy: { rules: [{ succeededCount: 1 }] } }),
        want: [
          [
            'spec.successPolicy',
            'Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
          ],
        ],
      },
      {
        given: job('a'.repeat(60), { completionMode: 'Indexed', completions: 1000 }),
        want: [
          [
            'metadata.name',
            'Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": will not able to create pod with invalid DNS label: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-999',
          ],
        ],
      },
    ]),
  },
  {
    id: 'policies',
    reason: 'policies for failed pods exclude some others',
    steps: steps([
      {
        given: job('x', { podReplacementPolicy: 'Always' }),
        want: [
          [
            'spec.podReplacementPolicy',
            'Unsupported value: "Always": supported values: "Failed", "TerminatingOrFailed"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: job('x', {
          podFailurePolicy: {
            rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }],
          },
        }),
        want: 'accepted',
      },
      {
        given: job('x', {
          podReplacementPolicy: 'TerminatingOrFailed',
          podFailurePolicy: {
            rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }],
          },
        }),
        want: [
          [
            'spec.podReplacementPolicy',
            'Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: job('x', {
          template: onceTemplate({ restartPolicy: 'OnFailure' }),
          podFailurePolicy: {
            rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }],
          },
        }),
        want: [
          [
            'spec.template.spec.restartPolicy',
            'Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
          ],
        ],
      },
      {
        given: job('x', { managedBy: 'x' }),
        want: [
          [
            'spec.managedBy',
            'Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")',
          ],
        ],
      },
      { given: job('x', { managedBy: 'example.com/x' }), want: 'accepted' },
    ]),
  },
  {
    id: 'selectors',
    reason: 'a selector is generated, or chosen on purpose',
    steps: steps([
      {
        given: job('x', { manualSelector: true }),
        want: [
          ['spec.selector', 'Required value', 'FieldValueRequired'],
          [
            'spec.template.metadata.labels',
            'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
          ],
        ],
      },
      {
        given: job('x', { manualSelector: true, selector: { matchLabels: { app: 'web' } } }),
        want: 'accepted',
      },
      {
        given: job('x', { manualSelector: true, selector: { matchLabels: { app: 'other' } } }),
        want: [
          [
            'spec.template.metadata.labels',
            'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
          ],
        ],
      },
      {
        given: job('x', { manualSelector: true, selector: { matchLabels: { app: 'a b' } } }),
        want: [
          [
            'spec.selector.matchLabels',
            "Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          ],
        ],
      },
    ]),
  },
  {
    id: 'templates',
    reason: 'a Job is named as its pods may be, and needs a container',
    steps: steps([
      {
        given: job('A'),
        want: [
          [
            'metadata.name',
            "Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: job('x', { template: { spec: { restartPolicy: 'Never' } } }),
        want: [['spec.template.spec.containers', 'Required value', 'FieldValueRequired']],
      },
      {
        given: job('x', { template: undefined }),
        want: [
          ['spec.template.spec.containers', 'Required value', 'FieldValueRequired'],
          [
            'spec.template.spec.restartPolicy',
            'Required value: valid values: "OnFailure", "Never"',
            'FieldValueRequired',
          ],
        ],
      },
    ]),
  },
];
