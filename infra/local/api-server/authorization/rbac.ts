import { isMap, type JsonMap, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { isAdministrator, type User } from '../requests/user.ts';
import type { Store } from '../storage/store.ts';
import type { Attributes } from './attributes.ts';

/** Decides by the roles and bindings that are stored. */
export interface Authorizer {
  readonly allows: (attributes: Attributes) => boolean;
  /** The rules that hold for a user in a namespace, the cluster-wide ones among them. */
  readonly rulesFor: (user: User, namespace: string) => readonly JsonMap[];
}

const GROUP = 'rbac.authorization.k8s.io';
const COLLECTIONS = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
  (plural) => `${plural}.${GROUP}`,
);

/** A binding with the rules of its role; no namespace means everywhere. */
interface Grant {
  readonly namespace: string;
  readonly subjects: readonly JsonMap[];
  readonly rules: readonly JsonMap[];
}

export const createAuthorizer = (store: Store): Authorizer => {
  let grants: readonly Grant[] | undefined;
  store.subscribe(({ collection }) => {
    if (COLLECTIONS.includes(collection)) grants = undefined;
  });

  const rulesFor = (user: User, namespace: string): readonly JsonMap[] => {
    grants ??= grantsOf(store);
    return grants
      .filter((grant) => grant.namespace === '' || grant.namespace === namespace)
      .filter(({ subjects, namespace: home }) => subjects.some((one) => isSubject(one, user, home)))
      .flatMap(({ rules }) => rules);
  };

  return {
    rulesFor,
    allows: (attributes) =>
      isAdministrator(attributes.user) ||
      rulesFor(attributes.user, attributes.namespace).some((rule) => covers(rule, attributes)),
  };
};

const objectsOf = (store: Store, plural: string): JsonMap[] =>
  store.collection(`${plural}.${GROUP}`).entries.map(({ body }) => JSON.parse(body));

const grantsOf = (store: Store): Grant[] => {
  const rules = new Map<string, readonly JsonMap[]>();
  for (const plural of ['roles', 'clusterroles']) {
    for (const role of objectsOf(store, plural)) {
      const { namespace, name } = mapAt(role, 'metadata');
      const kind = plural === 'roles' ? `Role/${namespace}` : 'ClusterRole';
      rules.set(`${kind}/${name}`, mapsAt(role, 'rules'));
    }
  }
  const bindings = ['rolebindings', 'clusterrolebindings'].flatMap((one) => objectsOf(store, one));
  return bindings.map((binding) => {
    const namespace = textAt(mapAt(binding, 'metadata'), 'namespace');
    const { kind, name } = mapAt(binding, 'roleRef');
    const key = kind === 'Role' ? `Role/${namespace}/${name}` : `ClusterRole/${name}`;
    return { namespace, subjects: mapsAt(binding, 'subjects'), rules: rules.get(key) ?? [] };
  });
};

const isSubject = ({ kind, name, namespace }: JsonMap, user: User, home: string): boolean => {
  if (kind === 'User') return name === '*' || name === user.username;
  if (kind === 'Group') return user.groups.includes(String(name));
  return user.username === `system:serviceaccount:${namespace ?? home}:${name}`;
};

const has = (rule: JsonMap, field: string, value: string): boolean => {
  const values = listAt(rule, field);
  return values.includes('*') || values.includes(value);
};

const covers = (rule: JsonMap, attributes: Attributes): boolean => {
  const { verb, group, resource, subresource, name } = attributes;
  if (!isMap(rule) || !has(rule, 'verbs', verb) || !has(rule, 'apiGroups', group)) return false;
  const names = listAt(rule, 'resourceNames');
  if (names.length > 0 && !names.includes(name)) return false;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    has(rule, 'resources', whole) ||
    (subresource !== '' && listAt(rule, 'resources').includes(`*/${subresource}`))
  );
};
