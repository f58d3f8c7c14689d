import { container, context, mounting, steps } from '../container-manifests.ts';
import type { ContractCase } from '../contract-case.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'mounts',
    reason: 'a mount stays inside its volume, with one kind of sub-path',
    steps: steps([
      {
        given: mounting({ subPath: '/a' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts.subPath',
            'Invalid value: "/a": must be a relative path',
          ],
        ],
      },
      {
        given: mounting({ subPath: '../a' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts.subPath',
            'Invalid value: "../a": must not contain \'..\'',
          ],
        ],
      },
      {
        given: mounting({ subPath: 'a', subPathExpr: 'b' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts[0].subPathExpr',
            'Invalid value: "b": subPathExpr and subPath are mutually exclusive',
          ],
        ],
      },
      {
        given: mounting({ subPathExpr: '/b' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts.subPathExpr',
            'Invalid value: "/b": must be a relative path',
          ],
        ],
      },
      {
        given: mounting({ mountPropagation: 'x' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts.mountPropagation',
            'Unsupported value: "x": supported values: "Bidirectional", "HostToContainer", "None"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: mounting({ mountPropagation: 'Bidirectional' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts.mountPropagation',
            'Forbidden: Bidirectional mount propagation is available only to privileged containers',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: mounting({ recursiveReadOnly: 'Enabled' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts.recursiveReadOnly',
            'Forbidden: may only be specified when readOnly is true',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: mounting({ recursiveReadOnly: 'x' }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts.recursiveReadOnly',
            'Unsupported value: "x": supported values: "Disabled", "Enabled", "IfPossible"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: mounting({}, { volumeDevices: [{ name: 'v', devicePath: '/d' }] }),
        want: [
          [
            'spec.template.spec.containers[0].volumeMounts[0].name',
            'Invalid value: "v": must not already exist in volumeDevices',
          ],
          [
            'spec.template.spec.containers[0].volumeDevices[0].name',
            'Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
          ],
          [
            'spec.template.spec.containers[0].volumeDevices[0].name',
            'Invalid value: "v": must not already exist in volumeMounts',
          ],
        ],
      },
      {
        given: container({ volumeDevices: [{ name: 'none', devicePath: '' }] }),
        want: [
          [
            'spec.template.spec.containers[0].volumeDevices[0].name',
            'Not found: "none"',
            'FieldValueNotFound',
          ],
          [
            'spec.template.spec.containers[0].volumeDevices[0].devicePath',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
    ]),
  },
  {
    id: 'security',
    reason: 'users, groups and profiles are valid, and do not contradict each other',
    steps: steps([
      {
        given: context({ runAsUser: -1 }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.runAsUser',
            'Invalid value: -1: must be between 0 and 2147483647, inclusive',
          ],
        ],
      },
      {
        given: context({ runAsGroup: 2147483648 }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.runAsGroup',
            'Invalid value: 2147483648: must be between 0 and 2147483647, inclusive',
          ],
        ],
      },
      {
        given: context({ procMount: 'x' }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.procMount',
            'Unsupported value: "x": supported values: "Default", "Unmasked"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: context({ procMount: 'Unmasked' }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.procMount',
            'Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
          ],
        ],
      },
      {
        given: context({ seccompProfile: { type: 'x' } }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.seccompProfile.type',
            'Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: context({ seccompProfile: { type: 'Localhost' } }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.seccompProfile.localhostProfile',
            'Required value: must be set when seccomp type is Localhost',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: context({ seccompProfile: { type: 'Localhost', localhostProfile: '/a' } }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.seccompProfile.localhostProfile',
            'Invalid value: "/a": must be a relative path',
          ],
        ],
      },
      { given: context({ seccompProfile: { type: 'RuntimeDefault' } }), want: 'accepted' },
      {
        given: context({ seccompProfile: { type: 'RuntimeDefault', localhostProfile: 'a' } }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.seccompProfile.localhostProfile',
            'Invalid value: {"Type":"RuntimeDefault","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost',
          ],
        ],
      },
      {
        given: context({
          allowPrivilegeEscalation: false,
          capabilities: { add: ['CAP_SYS_ADMIN'] },
        }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext',
            'Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
          ],
        ],
      },
      {
        given: context({ appArmorProfile: { type: 'x' } }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.appArmorProfile.type',
            'Unsupported value: "x": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: context({ appArmorProfile: { type: 'Localhost' } }),
        want: [
          [
            'spec.template.spec.containers[0].securityContext.appArmorProfile.localhostProfile',
            'Required value: must be set when AppArmor type is Localhost',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: context({
          runAsNonRoot: true,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        }),
        want: 'accepted',
      },
    ]),
  },
];
