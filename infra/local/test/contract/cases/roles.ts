import type { ContractCase } from '../contract-case.ts';
import { invalid } from '../errors.ts';
import { apply, mergePatch, post, put } from '../requests.ts';

const root = '/apis/rbac.authorization.k8s.io/v1';
const apiVersion = 'rbac.authorization.k8s.io/v1';
const roles = `${root}/namespaces/{ns}/roles`;
const bindings = `${root}/namespaces/{ns}/rolebindings`;
const group = 'rbac.authorization.k8s.io';

const role = (fields: object) => ({
  apiVersion,
  kind: 'Role',
  metadata: { name: 'x' },
  ...fields,
});
const binding = (fields: object = {}) => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { name: 'x' },
  roleRef: { kind: 'Role', name: 'x' },
  ...fields,
});
const reading = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };

export const cases: readonly ContractCase[] = [
  {
    id: 'roles',
    reason: 'a Role shows that it has no rules, and a name may be any segment of a path',
    steps: [
      {
        request: post(roles, role({ metadata: { name: 'system:x' } })),
        expect: { status: 201, body: { rules: null, metadata: { generation: undefined } } },
      },
      {
        request: put(`${roles}/x`, role({ rules: [reading] })),
        expect: { status: 201, at: { rules: [reading] } },
      },
    ],
  },
  {
    id: 'rules',
    reason: 'a rule has verbs, groups and resources',
    steps: [
      {
        request: post(roles, role({ rules: [{ apiGroups: [''], resources: ['pods'] }] })),
        expect: {
          status: 422,
          error: invalid('Role.rbac.authorization.k8s.io', 'x', [
            [
              'rules[0].verbs',
              'Required value: verbs must contain at least one value',
              'FieldValueRequired',
            ],
          ]),
        },
      },
    ],
  },
  {
    id: 'bindings',
    reason: 'the groups of a role and of users are known',
    steps: [
      {
        request: apply(
          `${bindings}/x`,
          binding({
            subjects: [
              { kind: 'User', name: 'alice' },
              { kind: 'ServiceAccount', name: 'builder', namespace: '{ns}' },
            ],
          }),
        ),
        expect: {
          status: 201,
          at: {
            roleRef: { apiGroup: group, kind: 'Role', name: 'x' },
            subjects: [
              { apiGroup: group, kind: 'User', name: 'alice' },
              { kind: 'ServiceAccount', name: 'builder', namespace: '{ns}' },
            ],
          },
        },
      },
    ],
  },
  {
    id: 'role-changed',
    reason: 'a binding is for one role for good',
    steps: [
      { request: post(bindings, binding()), expect: { status: 201 } },
      {
        request: mergePatch(`${bindings}/x`, { roleRef: { name: 'y' } }),
        expect: {
          status: 422,
          error: invalid('RoleBinding.rbac.authorization.k8s.io', 'x', [
            [
              'roleRef',
              `Invalid value: {"APIGroup":"${group}","Kind":"Role","Name":"y"}: cannot change roleRef`,
            ],
          ]),
        },
      },
    ],
  },
];
