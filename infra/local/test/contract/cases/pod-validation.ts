import { since135 } from '../changes.ts';
import type { ContractCase } from '../contract-case.ts';
import { context, pod, steps } from '../pod-manifests.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'security',
    reason: 'users, groups and settings of a pod are valid',
    steps: steps([
      {
        given: context({ fsGroup: -1 }),
        want: [
          [
            'spec.template.spec.securityContext.fsGroup',
            'Invalid value: -1: must be between 0 and 2147483647, inclusive',
          ],
        ],
      },
      {
        given: context({ runAsUser: -1, runAsGroup: -1 }),
        want: [
          [
            'spec.template.spec.securityContext.runAsUser',
            'Invalid value: -1: must be between 0 and 2147483647, inclusive',
          ],
          [
            'spec.template.spec.securityContext.runAsGroup',
            'Invalid value: -1: must be between 0 and 2147483647, inclusive',
          ],
        ],
      },
      {
        given: context({ supplementalGroups: [1, -1] }),
        want: [
          [
            'spec.template.spec.securityContext.supplementalGroups[1]',
            'Invalid value: -1: must be between 0 and 2147483647, inclusive',
          ],
        ],
      },
      {
        given: context({ fsGroupChangePolicy: 'x' }),
        want: [
          [
            'spec.template.spec.securityContext.fsGroupChangePolicy',
            'Unsupported value: "x": supported values: "Always", "OnRootMismatch"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: context({ sysctls: [{ name: 'A', value: '' }] }),
        want: [
          [
            'spec.template.spec.securityContext.sysctls[0].name',
            'Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
          ],
        ],
      },
      {
        given: context({
          sysctls: [
            { name: 'a.b', value: '' },
            { name: 'a.b', value: '' },
          ],
        }),
        want: [
          [
            'spec.template.spec.securityContext.sysctls[1].name',
            'Duplicate value: "a.b"',
            'FieldValueDuplicate',
          ],
        ],
      },
      {
        given: context({ seccompProfile: { type: 'x' } }),
        want: [
          [
            'spec.template.spec.securityContext.seccompProfile.type',
            'Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: context({ supplementalGroupsPolicy: 'x' }),
        want: [
          [
            'spec.template.spec.securityContext.supplementalGroupsPolicy',
            'Unsupported value: "x": supported values: "Merge", "Strict"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: context({ seLinuxChangePolicy: 'x' }),
        want: [
          [
            'spec.template.spec.securityContext.seLinuxChangePolicy',
            'Unsupported value: "x": supported values: "Recursive"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: pod({ hostPID: true, shareProcessNamespace: true }),
        want: [
          [
            'spec.template.spec.securityContext.shareProcessNamespace',
            'Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
          ],
        ],
      },
      {
        given: pod({ hostUsers: false, hostIPC: true }),
        want: [
          [
            'spec.template.spec.HostIPC',
            'Forbidden: when `hostUsers` is false',
            'FieldValueForbidden',
          ],
        ],
      },
    ]),
  },
  {
    id: 'names',
    reason: 'references in a pod have legal names',
    steps: steps([
      {
        given: pod({ serviceAccountName: 'A_' }),
        want: [
          [
            'spec.template.spec.serviceAccountName',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: pod({ nodeName: 'A_' }),
        want: [
          [
            'spec.template.spec.nodeName',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: pod({ priorityClassName: 'A_' }),
        want: [
          [
            'spec.template.spec.priorityClassName',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: pod({ runtimeClassName: 'A_' }),
        want: [
          [
            'spec.template.spec.runtimeClassName',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      { given: pod({ imagePullSecrets: [{}] }), want: 'accepted' },
      { given: pod({ imagePullSecrets: [{ name: 'a' }] }), want: 'accepted' },
    ]),
  },
  {
    id: 'others',
    reason: 'a pod template has no deadline, and the restart policy Always',
    steps: steps([
      {
        given: pod({ activeDeadlineSeconds: 10 }),
        want: [
          [
            'spec.template.spec.activeDeadlineSeconds',
            'Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: pod({ activeDeadlineSeconds: 0 }),
        want: [
          [
            'spec.template.spec.activeDeadlineSeconds',
            'Invalid value: 0: must be between 1 and 2147483647, inclusive',
          ],
          [
            'spec.template.spec.activeDeadlineSeconds',
            'Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: pod({ preemptionPolicy: 'x' }),
        want: [
          [
            'spec.template.spec.preemptionPolicy',
            'Unsupported value: "x": supported values: "PreemptLowerPriority", "Never"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: pod({ os: { name: 'x' } }),
        want: [
          [
            'spec.template.spec.os',
            'Unsupported value: "x": supported values: "linux", "windows"',
            'FieldValueNotSupported',
          ],
        ],
      },
      { given: pod({ terminationGracePeriodSeconds: 0 }), want: 'accepted' },
      {
        given: pod({
          ephemeralContainers: [
            {
              name: 'e',
              image: 'e:1',
              terminationMessagePolicy: 'File',
              imagePullPolicy: 'Always',
            },
          ],
        }),
        want: [
          [
            'spec.template.spec.ephemeralContainers',
            'Forbidden: ephemeral containers not allowed in pod template',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        since: since135.containerRestarts,
        given: pod({ initContainers: [{ name: 'i', image: 'i:1', restartPolicy: 'x' }] }),
        want: [
          [
            'spec.template.spec.initContainers[0].restartPolicy',
            'Unsupported value: "x": supported values: "Always", "Never", "OnFailure"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: pod({ initContainers: [{ name: 'i', image: 'i:1', restartPolicy: 'Always' }] }),
        want: 'accepted',
      },
    ]),
  },
];
