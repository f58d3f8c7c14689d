import type { ContractCase } from '../contract-case.ts';
import { configMap, gadget, paths } from '../objects.ts';
import { apply, as, del, get, post } from '../requests.ts';

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles';
const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings';

const review = (resourceAttributes: object) => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes },
});
const role = (rules: readonly object[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'worker' },
  rules,
});
const binding = (user: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'worker' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'worker' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
});

export const cases: readonly ContractCase[] = [
  {
    id: 'forbidden',
    reason: 'a request without the right is refused, with the reason',
    steps: [
      {
        request: as('alice', get(paths.configMaps)),
        expect: {
          status: 403,
          error: {
            message:
              'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "{ns}"',
            reason: 'Forbidden',
            details: { kind: 'configmaps' },
          },
        },
      },
      {
        request: as('alice', get(`${paths.gadgets}/x`)),
        expect: {
          status: 403,
          error: {
            message:
              'gadgets.contract.example.com "x" is forbidden: User "alice" cannot get resource "gadgets" in API group "contract.example.com" in the namespace "{ns}"',
            reason: 'Forbidden',
            details: { name: 'x', group: 'contract.example.com', kind: 'gadgets' },
          },
        },
      },
      {
        request: as('alice', get('/apis/contract.example.com/v1/gadgets')),
        expect: {
          status: 403,
          error: {
            message:
              'gadgets.contract.example.com is forbidden: User "alice" cannot list resource "gadgets" in API group "contract.example.com" at the cluster scope',
            reason: 'Forbidden',
            details: { group: 'contract.example.com', kind: 'gadgets' },
          },
        },
      },
      {
        request: as('alice', post(paths.configMaps, configMap('x'))),
        expect: {
          status: 403,
          error: {
            message:
              'configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "{ns}"',
            reason: 'Forbidden',
            details: { kind: 'configmaps' },
          },
        },
      },
      {
        request: as('alice', apply(`${paths.gadgets}/x`, gadget('x'))),
        expect: {
          status: 403,
          error: {
            message:
              'gadgets.contract.example.com "x" is forbidden: User "alice" cannot patch resource "gadgets" in API group "contract.example.com" in the namespace "{ns}"',
            reason: 'Forbidden',
            details: { name: 'x', group: 'contract.example.com', kind: 'gadgets' },
          },
        },
      },
      {
        request: as('alice', del(`${paths.configMaps}/x`)),
        expect: {
          status: 403,
          error: {
            message:
              'configmaps "x" is forbidden: User "alice" cannot delete resource "configmaps" in API group "" in the namespace "{ns}"',
            reason: 'Forbidden',
            details: { name: 'x', kind: 'configmaps' },
          },
        },
      },
    ],
  },
  {
    id: 'granted',
    reason: 'a role bound to a user allows what it lists, and apply needs patch and create',
    steps: [
      {
        request: post(
          roles,
          role([
            {
              apiGroups: ['contract.example.com'],
              resources: ['gadgets'],
              verbs: ['get', 'patch'],
            },
          ]),
        ),
        expect: { status: 201 },
      },
      { request: post(bindings, binding('alice')), expect: { status: 201 } },
      {
        eventually: true,
        request: as('alice', get(`${paths.gadgets}/x`)),
        expect: { status: 404 },
      },
      {
        request: as('alice', apply(`${paths.gadgets}/x`, gadget('x'))),
        expect: {
          status: 403,
          error: {
            message:
              'gadgets.contract.example.com "x" is forbidden: User "alice" cannot create resource "gadgets" in API group "contract.example.com" in the namespace "{ns}"',
            reason: 'Forbidden',
            details: { name: 'x', group: 'contract.example.com', kind: 'gadgets' },
          },
        },
      },
      { request: apply(`${paths.gadgets}/x`, gadget('x')), expect: { status: 201 } },
      {
        request: as('alice', apply(`${paths.gadgets}/x`, gadget('x', { size: 2 }))),
        expect: { status: 200 },
      },
      {
        request: as('alice', apply(`${paths.gadgets}/x/status`, gadget('x'))),
        expect: {
          status: 403,
          error: {
            message:
              'gadgets.contract.example.com "x" is forbidden: User "alice" cannot patch resource "gadgets/status" in API group "contract.example.com" in the namespace "{ns}"',
            reason: 'Forbidden',
            details: { name: 'x', group: 'contract.example.com', kind: 'gadgets' },
          },
        },
      },
      { request: as('bob', get(`${paths.gadgets}/x`)), expect: { status: 403 } },
    ],
  },
  {
    id: 'review',
    reason: 'kubectl auth can-i and doctor check permissions',
    steps: [
      {
        request: post(reviews, review({ verb: 'list', resource: 'pods', namespace: '{ns}' })),
        expect: {
          status: 201,
          body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } },
        },
      },
      {
        request: as(
          'alice',
          post(reviews, review({ verb: 'list', resource: 'pods', namespace: '{ns}' })),
        ),
        expect: { status: 201, body: { status: { allowed: false } } },
      },
    ],
  },
  {
    id: 'rules',
    reason: 'doctor lists what a user may do in a namespace',
    steps: [
      {
        request: post(
          roles,
          role([{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }]),
        ),
        expect: { status: 201 },
      },
      { request: post(bindings, binding('bob')), expect: { status: 201 } },
      {
        eventually: true,
        request: as(
          'bob',
          post(
            '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
            review({ verb: 'patch', group: 'apps', resource: 'deployments', namespace: '{ns}' }),
          ),
        ),
        expect: { status: 201, body: { status: { allowed: true } } },
      },
      {
        request: as(
          'bob',
          post(
            reviews,
            review({
              verb: 'patch',
              group: 'apps',
              resource: 'deployments',
              subresource: 'scale',
              namespace: '{ns}',
            }),
          ),
        ),
        expect: { status: 201, body: { status: { allowed: false } } },
      },
      {
        request: as(
          'bob',
          post(
            reviews,
            review({ verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'default' }),
          ),
        ),
        expect: { status: 201, body: { status: { allowed: false } } },
      },
    ],
  },
  {
    id: 'cluster-wide',
    reason: 'a cluster role bound in one namespace holds there only',
    steps: [
      {
        request: post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
          ...role([{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }]),
          kind: 'ClusterRole',
          metadata: { name: '{ns}' },
        }),
        expect: { status: 201 },
      },
      {
        request: post(bindings, {
          ...binding('bob'),
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '{ns}' },
        }),
        expect: { status: 201 },
      },
      { eventually: true, request: as('bob', get(paths.gadgets)), expect: { status: 200 } },
      { request: as('bob', get(paths.deployments)), expect: { status: 200 } },
      { request: as('bob', get(`${paths.deployments}/x`)), expect: { status: 403 } },
      { request: as('bob', get('/apis/contract.example.com/v1/gadgets')), expect: { status: 403 } },
    ],
  },
];
