import { isAdministrator, type User } from '../authentication/user.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../json/value.ts';
import type { Store } from '../storage/store.ts';
import type { Attributes } from './attributes.ts';
import { covers } from './covers.ts';

/** Authorizes requests by the stored roles and bindings. */
export interface Authorizer {
  readonly allows: (attributes: Attributes) => boolean;
  /** The rules that apply to a user in a namespace, including cluster-wide rules. */
  readonly rulesFor: (user: User, namespace: string) => readonly JsonObject[];
  /** The rules of a role; undefined if there is none. */
  readonly rulesOf: (role: RoleName) => readonly JsonObject[] | undefined;
}

export const rbacGroup = 'rbac.authorization.k8s.io';
const collections = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
  (plural) => `${plural}.${rbacGroup}`,
);

interface RoleName {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A binding with the rules of its role; without a namespace it applies everywhere. */
interface Grant {
  readonly namespace: string;
  readonly subjects: readonly JsonObject[];
  readonly rules: readonly JsonObject[];
}

export function createAuthorizer(store: Store): Authorizer {
  let grants: readonly Grant[] | undefined;
  store.subscribe(({ collection }) => {
    if (collections.includes(collection)) grants = undefined;
  });

  const rulesFor = (user: User, namespace: string): readonly JsonObject[] => {
    grants ??= grantsOf(store);
    return grants
      .filter((grant) => grant.namespace === '' || grant.namespace === namespace)
      .filter(({ subjects, namespace: home }) => subjects.some((one) => isSubject(one, user, home)))
      .flatMap(({ rules }) => rules);
  };

  return {
    rulesFor,
    rulesOf: ({ resource, namespace, name }) =>
      rolesOf(store).get(
        resource === 'roles' ? `Role/${namespace}/${name}` : `ClusterRole/${name}`,
      ),
    allows: (attributes) =>
      isAdministrator(attributes.user) ||
      rulesFor(attributes.user, attributes.namespace).some((rule) => covers(rule, attributes)),
  };
}

function objectsOf(store: Store, plural: string): JsonObject[] {
  return store.collection(`${plural}.${rbacGroup}`).entries.map(({ body }) => JSON.parse(body));
}

/** The rules of all roles, by kind, namespace and name. */
function rolesOf(store: Store): ReadonlyMap<string, readonly JsonObject[]> {
  const rules = new Map<string, readonly JsonObject[]>();
  for (const plural of ['roles', 'clusterroles']) {
    for (const role of objectsOf(store, plural)) {
      const { namespace, name } = objectAt(role, 'metadata');
      const kind = plural === 'roles' ? `Role/${namespace}` : 'ClusterRole';
      rules.set(`${kind}/${name}`, objectsAt(role, 'rules'));
    }
  }
  return rules;
}

function grantsOf(store: Store): Grant[] {
  const rules = rolesOf(store);
  const bindings = ['rolebindings', 'clusterrolebindings'].flatMap((one) => objectsOf(store, one));
  return bindings.map((binding) => {
    const namespace = textAt(objectAt(binding, 'metadata'), 'namespace');
    const { kind, name } = objectAt(binding, 'roleRef');
    const key = kind === 'Role' ? `Role/${namespace}/${name}` : `ClusterRole/${name}`;
    return { namespace, subjects: objectsAt(binding, 'subjects'), rules: rules.get(key) ?? [] };
  });
}

function isSubject({ kind, name, namespace }: JsonObject, user: User, home: string): boolean {
  if (kind === 'User') return name === '*' || name === user.username;
  if (kind === 'Group') return user.groups.includes(String(name));
  return user.username === `system:serviceaccount:${namespace ?? home}:${name}`;
}
