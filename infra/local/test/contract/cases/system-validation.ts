import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { paths } from '../objects.ts';

const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles';
const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings';
const claims = '/api/v1/namespaces/{ns}/persistentvolumeclaims';
const rbac = 'rbac.authorization.k8s.io';
const metadata = { name: 'x' };

const lease = (spec: object) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata,
  spec,
});
const role = (rule: object, kind = 'Role') => ({
  apiVersion: `${rbac}/v1`,
  kind,
  metadata,
  rules: [rule],
});
const clusterRole = (rule: object) => role(rule, 'ClusterRole');
const binding = (subject: object, roleRef: object = {}) => ({
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata,
  roleRef: { apiGroup: rbac, kind: 'Role', name: 'x', ...roleRef },
  subjects: [subject],
});
const claim = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata,
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...spec,
  },
});
const account = { kind: 'ServiceAccount', name: 'a', namespace: 'a' };

export const cases: readonly ContractCase[] = [
  {
    id: 'leases',
    reason: 'a lease has a positive duration',
    steps: judged(paths.leases, 'Lease.coordination.k8s.io', [
      {
        given: lease({ leaseDurationSeconds: 0 }),
        want: [['spec.leaseDurationSeconds', 'Invalid value: 0: must be greater than 0']],
      },
      { given: lease({ leaseDurationSeconds: 15 }), want: 'accepted' },
      {
        given: lease({ leaseTransitions: -1 }),
        want: [['spec.leaseTransitions', 'Invalid value: -1: must be greater than or equal to 0']],
      },
      { given: lease({ leaseTransitions: 0 }), want: 'accepted' },
      { given: lease({ strategy: 'a b' }), want: 'accepted' },
      { given: lease({ preferredHolder: 'a' }), want: 'accepted' },
    ]),
  },
  {
    id: 'roles',
    reason: 'a rule has verbs and resources',
    steps: [
      ...judged(roles, `Role.${rbac}`, [
        {
          given: role({ verbs: ['get'], resources: ['pods'] }),
          want: [
            [
              'rules[0].apiGroups',
              'Required value: resource rules must supply at least one api group',
              'FieldValueRequired',
            ],
          ],
        },
        {
          given: role({ verbs: ['get'], apiGroups: [''] }),
          want: [
            [
              'rules[0].resources',
              'Required value: resource rules must supply at least one resource',
              'FieldValueRequired',
            ],
          ],
        },
        {
          given: role({ verbs: [], apiGroups: [''], resources: ['pods'] }),
          want: [
            [
              'rules[0].verbs',
              'Required value: verbs must contain at least one value',
              'FieldValueRequired',
            ],
          ],
        },
        {
          given: role({ verbs: ['get'], nonResourceURLs: ['/x'] }),
          want: [
            [
              'rules[0].nonResourceURLs',
              'Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
            ],
          ],
        },
        { given: role({ verbs: ['get'], apiGroups: [''], resources: ['pods'] }), want: 'accepted' },
      ]),
      ...judged(clusterRoles, `ClusterRole.${rbac}`, [
        { given: clusterRole({ verbs: ['get'], nonResourceURLs: ['/x'] }), want: 'accepted' },
        {
          given: clusterRole({
            verbs: ['get'],
            nonResourceURLs: ['/x'],
            apiGroups: [''],
            resources: ['pods'],
          }),
          want: [
            [
              'rules[0].nonResourceURLs',
              'Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
            ],
          ],
        },
        {
          given: clusterRole({ verbs: ['get'], resources: ['pods'] }),
          want: [
            [
              'rules[0].apiGroups',
              'Required value: resource rules must supply at least one api group',
              'FieldValueRequired',
            ],
          ],
        },
      ]),
    ],
  },
  {
    id: 'bindings',
    reason: 'a binding has subjects and a role',
    steps: judged(bindings, `RoleBinding.${rbac}`, [
      {
        given: binding({ ...account, name: 'A_' }),
        want: [
          [
            'subjects[0].name',
            "Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
          ],
        ],
      },
      {
        given: binding({ ...account, apiGroup: 'x' }),
        want: [
          [
            'subjects[0].apiGroup',
            'Unsupported value: "x": supported values: ""',
            'FieldValueNotSupported',
          ],
        ],
      },
      { given: binding({ kind: 'ServiceAccount', name: 'a' }), want: 'accepted' },
      {
        given: binding({ kind: 'User', name: 'a', apiGroup: 'x' }),
        want: [
          [
            'subjects[0].apiGroup',
            'Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
            'FieldValueNotSupported',
          ],
        ],
      },
      { given: binding({ kind: 'Group', name: 'A B' }), want: 'accepted' },
      {
        given: binding(account, { apiGroup: 'x' }),
        want: [
          [
            'roleRef.apiGroup',
            'Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: binding(account, { name: 'a/b' }),
        want: [['roleRef.name', 'Invalid value: "a/b": may not contain \'/\'']],
      },
    ]),
  },
  {
    id: 'claims',
    reason: 'a claim has access modes and a size',
    steps: judged(claims, 'PersistentVolumeClaim', [
      { given: claim({}), want: 'accepted' },
      {
        given: claim({ accessModes: [] }),
        want: [
          [
            'spec.accessModes',
            'Required value: at least 1 access mode is required',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: claim({ accessModes: ['x'] }),
        want: [
          [
            'spec.accessModes',
            'Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: claim({ resources: {} }),
        want: [['spec.resources[storage]', 'Required value', 'FieldValueRequired']],
      },
      {
        given: claim({ resources: { requests: { storage: '0' } } }),
        want: [['spec.resources[storage]', 'Invalid value: "0": must be greater than zero']],
      },
      {
        given: claim({ volumeMode: 'x' }),
        want: [
          [
            'spec.volumeMode',
            'Unsupported value: "x": supported values: "Block", "Filesystem"',
            'FieldValueNotSupported',
          ],
        ],
      },
    ]),
  },
];
