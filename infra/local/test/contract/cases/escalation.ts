import type { ContractCase } from '../contract-case.ts';
import { apply, as, post, put } from '../requests.ts';

const group = 'rbac.authorization.k8s.io';
const root = `/apis/${group}/v1/namespaces/{ns}`;
const roles = `${root}/roles`;
const bindings = `${root}/rolebindings`;

const role = (name: string, rules: readonly object[]) => ({
  apiVersion: `${group}/v1`,
  kind: 'Role',
  metadata: { name },
  rules,
});
const binding = (name: string, roleRef: object, user = 'bob') => ({
  apiVersion: `${group}/v1`,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: group, ...roleRef },
  subjects: [{ apiGroup: group, kind: 'User', name: user }],
});
const maps = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
const pods = { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] };
const own = { kind: 'Role', name: 'own' };
const writing = {
  apiGroups: [group],
  resources: ['roles', 'rolebindings'],
  verbs: ['get', 'create', 'patch', 'update'],
};

/** Alice may write Roles and bindings, and has further rights. */
const given = (...rights: readonly object[]) => [
  { request: post(roles, role('own', [writing, maps, ...rights])), expect: { status: 201 } },
  { request: post(bindings, binding('own', own, 'alice')), expect: { status: 201 } },
  {
    eventually: true as const,
    request: as('alice', put(`${roles}/ready`, role('ready', []))),
    expect: { status: 201 },
  },
];

const refused = (type: string, name: string, rules: readonly string[]) => ({
  status: 403,
  error: {
    message: `${type}.${group} "${name}" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${rules.join('\n')}`,
    reason: 'Forbidden',
    details: { name, group, kind: type },
  },
});
const podRules = [
  '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
  '{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "list"]}',
];

export const cases: readonly ContractCase[] = [
  {
    id: 'roles',
    reason: 'nobody grants by a Role what they do not have, nor changes its labels',
    steps: [
      ...given(),
      { request: as('alice', post(roles, role('a', [maps]))), expect: { status: 201 } },
      {
        request: as('alice', post(roles, role('b', [maps, pods]))),
        expect: refused('roles', 'b', podRules),
      },
      {
        request: as('alice', apply(`${roles}/b`, role('b', [{ ...pods, resourceNames: ['x'] }]))),
        expect: refused('roles', 'b', [
          '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["get" "list"]}',
          '{APIGroups:[""], Resources:["pods/log"], ResourceNames:["x"], Verbs:["get" "list"]}',
        ]),
      },
      {
        request: as('alice', put(`${roles}/a`, role('a', [pods]))),
        expect: refused('roles', 'a', podRules),
      },
      { request: post(roles, role('c', [pods])), expect: { status: 201 } },
      {
        request: as(
          'alice',
          put(`${roles}/c`, {
            ...role('c', [pods]),
            metadata: { name: 'c', labels: { a: 'b' } },
          }),
        ),
        expect: { status: 403 },
      },
    ],
  },
  {
    id: 'bindings',
    reason: 'nobody binds a role whose rights they do not have',
    steps: [
      ...given(),
      { request: post(roles, role('pods', [pods])), expect: { status: 201 } },
      { request: post(roles, role('maps', [maps])), expect: { status: 201 } },
      {
        eventually: true,
        request: as('alice', put(`${bindings}/m`, binding('m', { kind: 'Role', name: 'maps' }))),
        expect: { status: 201 },
      },
      {
        eventually: true,
        request: as('alice', post(bindings, binding('p', { kind: 'Role', name: 'pods' }))),
        expect: refused('rolebindings', 'p', podRules),
      },
      {
        request: as('alice', post(bindings, binding('n', { kind: 'Role', name: 'none' }))),
        expect: {
          status: 404,
          error: {
            message: `rolebindings.${group} "none" not found`,
            reason: 'NotFound',
            details: { name: 'none', group, kind: 'rolebindings' },
          },
        },
      },
    ],
  },
  {
    id: 'bind',
    reason: 'who may bind a role by name needs none of its rights',
    steps: [
      ...given(
        { apiGroups: [group], resources: ['roles'], resourceNames: ['pods'], verbs: ['bind'] },
        { apiGroups: [group], resources: ['clusterroles'], resourceNames: ['x'], verbs: ['bind'] },
      ),
      { request: post(roles, role('pods', [pods])), expect: { status: 201 } },
      { request: post(roles, role('more', [pods])), expect: { status: 201 } },
      {
        request: as('alice', post(bindings, binding('p', { kind: 'Role', name: 'pods' }))),
        expect: { status: 201 },
      },
      {
        request: as('alice', post(bindings, binding('x', { kind: 'ClusterRole', name: 'x' }))),
        expect: { status: 201 },
      },
      {
        eventually: true,
        request: as('alice', post(bindings, binding('q', { kind: 'Role', name: 'more' }))),
        expect: refused('rolebindings', 'q', podRules),
      },
    ],
  },
  {
    id: 'escalate',
    reason: 'who may escalate a role by name may give it any rights',
    steps: [
      ...given({
        apiGroups: [group],
        resources: ['roles'],
        resourceNames: ['b'],
        verbs: ['escalate'],
      }),
      { request: as('alice', apply(`${roles}/b`, role('b', [pods]))), expect: { status: 201 } },
      {
        request: as('alice', apply(`${roles}/c`, role('c', [pods]))),
        expect: refused('roles', 'c', podRules),
      },
    ],
  },
];
