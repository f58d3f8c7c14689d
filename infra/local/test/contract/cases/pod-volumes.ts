import type { ContractCase } from '../contract-case.ts';
import { steps, volume } from '../pod-manifests.ts';

export const cases: readonly ContractCase[] = [
  {
    id: 'volumes',
    reason: 'a volume has one source, whose files stay inside it',
    steps: steps([
      {
        given: volume({ emptyDir: { sizeLimit: '-1' } }),
        want: [
          [
            'spec.template.spec.volumes[0].emptyDir.sizeLimit',
            'Forbidden: SizeLimit field must be a valid resource quantity',
            'FieldValueForbidden',
          ],
        ],
      },
      {
        given: volume({ hostPath: { path: '/a/../b' } }),
        want: [
          [
            'spec.template.spec.volumes[0].hostPath.path',
            'Invalid value: "/a/../b": must not contain \'..\'',
          ],
        ],
      },
      {
        given: volume({ hostPath: { path: '/a', type: 'x' } }),
        want: [
          [
            'spec.template.spec.volumes[0].hostPath.type',
            'Unsupported value: "x": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
            'FieldValueNotSupported',
          ],
        ],
      },
      { given: volume({ hostPath: { path: '/a', type: 'Directory' } }), want: 'accepted' },
      {
        given: volume({ secret: { secretName: 's', items: [{ key: '', path: '' }] } }),
        want: [
          [
            'spec.template.spec.volumes[0].secret.items[0].key',
            'Required value',
            'FieldValueRequired',
          ],
          [
            'spec.template.spec.volumes[0].secret.items[0].path',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: volume({ secret: { secretName: 's', items: [{ key: 'k', path: '/a' }] } }),
        want: [
          [
            'spec.template.spec.volumes[0].secret.items[0].path',
            'Invalid value: "/a": must be a relative path',
          ],
        ],
      },
      {
        given: volume({ configMap: { name: 'c', items: [{ key: 'k', path: '..a' }] } }),
        want: [
          [
            'spec.template.spec.volumes[0].configMap.items[0].path',
            'Invalid value: "..a": must not start with \'..\'',
          ],
        ],
      },
      {
        given: volume({ configMap: { name: 'c', items: [{ key: 'k', path: 'a', mode: 999 }] } }),
        want: [
          [
            'spec.template.spec.volumes[0].configMap.items[0].mode',
            'Invalid value: 999: must be a number between 0 and 0777 (octal), both inclusive',
          ],
        ],
      },
      {
        given: volume({ nfs: { server: '', path: 'a' } }),
        want: [
          ['spec.template.spec.volumes[0].nfs.server', 'Required value', 'FieldValueRequired'],
          [
            'spec.template.spec.volumes[0].nfs.path',
            'Invalid value: "a": must be an absolute path',
          ],
        ],
      },
      {
        given: volume({ csi: { driver: 'A_' } }),
        want: [
          [
            'spec.template.spec.volumes[0].csi.driver',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      { given: volume({ csi: { driver: 'a.b' } }), want: 'accepted' },
      {
        given: volume({ ephemeral: {} }),
        want: [
          [
            'spec.template.spec.volumes[0].ephemeral.volumeClaimTemplate',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: volume({
          downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.labels' } }] },
        }),
        want: 'accepted',
      },
      {
        given: volume({
          downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }] },
        }),
        want: [
          [
            'spec.template.spec.volumes[0].downwardAPI.fieldRef.fieldPath',
            'Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: volume({ downwardAPI: { items: [{ path: '/a' }] } }),
        want: [
          [
            'spec.template.spec.volumes[0].downwardAPI.path',
            'Invalid value: "/a": must be a relative path',
          ],
          [
            'spec.template.spec.volumes[0].downwardAPI',
            'Required value: one of fieldRef and resourceFieldRef is required',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: volume({
          downwardAPI: { items: [{ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }] },
        }),
        want: [
          [
            'spec.template.spec.volumes[0].downwardAPI.resourceFieldRef.containerName',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: volume({ projected: { sources: [{ secret: { name: '' } }] } }),
        want: [
          [
            'spec.template.spec.volumes[0].projected.sources[0].secret.name',
            'Required value',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: volume({
          projected: { sources: [{ serviceAccountToken: { path: 'a', expirationSeconds: 5 } }] },
        }),
        want: [
          [
            'spec.template.spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds',
            'Invalid value: 5: may not specify a duration less than 10 minutes',
          ],
        ],
      },
      {
        given: volume({
          projected: {
            sources: [
              { configMap: { name: 'a', items: [{ key: 'k', path: 'a' }] } },
              { secret: { name: 'b', items: [{ key: 'k', path: 'a' }] } },
            ],
          },
        }),
        want: [
          [
            'spec.template.spec.volumes[0].projected',
            'Invalid value: "b": conflicting duplicate paths',
          ],
        ],
      },
      {
        given: volume({
          projected: { sources: [{ configMap: { name: 'a' }, secret: { name: 'b' } }] },
        }),
        want: [
          [
            'spec.template.spec.volumes[0].projected.sources[0]',
            'Forbidden: may not specify more than 1 volume type per source',
            'FieldValueForbidden',
          ],
        ],
      },
    ]),
  },
];
