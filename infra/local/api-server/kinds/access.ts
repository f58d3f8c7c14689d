import type { FieldError } from '../errors/field-error.ts';
import { invalid, notSupported, required } from '../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  jsonEqual,
  listAt,
  objectAt,
  objectsAt,
  textAt,
} from '../json/value.ts';
import { misnamed, needed, unlisted } from '../objects/field-rules.ts';
import { dnsSubdomain, pathSegment } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import { ageCell, cell, createdAtCell, printer } from '../printing/printer.ts';
import type { Strategy } from '../resources/strategy.ts';
import type { KindEntry } from './kind.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

/** Roles may have colons in their names, and a PUT creates a missing role. */
const role: Strategy = {
  nameRule: pathSegment,
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  validate: (object) =>
    objectsAt(object, 'rules').flatMap((rule, index) =>
      ruleErrors(rule, `rules[${index}]`, object.kind === 'Role'),
    ),
};

function ruleErrors(rule: JsonObject, path: string, namespaced: boolean): FieldError[] {
  const needs = (field: string, why: string): FieldError[] =>
    listAt(rule, field).length === 0 ? [required(`${path}.${field}`, why)] : [];
  const urls = listAt(rule, 'nonResourceURLs');
  const both = ['apiGroups', 'resources', 'resourceNames'].some(
    (field) => listAt(rule, field).length > 0,
  );
  const wrong = (why: string): FieldError => invalid(`${path}.nonResourceURLs`, urls, why);
  const verbs = needs('verbs', 'verbs must contain at least one value');
  if (urls.length > 0) {
    return [
      ...verbs,
      ...(namespaced ? [wrong('namespaced rules cannot apply to non-resource URLs')] : []),
      ...(both
        ? [wrong('rules cannot apply to both regular resources and non-resource URLs')]
        : []),
    ];
  }
  return [
    ...verbs,
    ...needs('apiGroups', 'resource rules must supply at least one api group'),
    ...needs('resources', 'resource rules must supply at least one resource'),
  ];
}

/** Bindings: their roleRef is immutable. */
const binding: Strategy = {
  ...role,
  defaults: (object) => {
    // An empty text counts as absent, because decoding may have added it.
    const { roleRef } = object;
    if (isObject(roleRef)) roleRef.apiGroup ||= rbacGroup;
    for (const subject of objectsAt(object, 'subjects')) {
      if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= rbacGroup;
    }
  },
  validate: (object, old) => [...roleRefErrors(object, old), ...subjectErrors(object)],
};

function roleRefErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const reference = objectAt(object, 'roleRef');
  const kind = textAt(reference, 'kind');
  const name = textAt(reference, 'name');
  // Shows the server's own structure.
  const shown = { APIGroup: textAt(reference, 'apiGroup'), Kind: kind, Name: name };
  return [
    ...unlisted(textAt(reference, 'apiGroup'), 'roleRef.apiGroup', [rbacGroup]),
    ...(['ClusterRole', 'Role'].includes(kind)
      ? []
      : [notSupported('roleRef.kind', kind, ['ClusterRole', 'Role'])]),
    ...needed(name, 'roleRef.name', pathSegment),
    ...(old && !jsonEqual(object.roleRef, old.roleRef)
      ? [invalid('roleRef', shown, 'cannot change roleRef')]
      : []),
  ];
}

const subjectKinds = ['ServiceAccount', 'User', 'Group'];

function subjectErrors(object: KubeObject): FieldError[] {
  return objectsAt(object, 'subjects').flatMap((subject, index) => {
    const field = `subjects[${index}]`;
    const name = textAt(subject, 'name');
    const group = textAt(subject, 'apiGroup');
    const nameless = name === '' ? [required(`${field}.name`)] : [];
    if (subject.kind === 'ServiceAccount') {
      const hasNamespace = object.kind === 'RoleBinding' || textAt(subject, 'namespace') !== '';
      return [
        ...nameless,
        ...(name === '' ? [] : misnamed(name, `${field}.name`, dnsSubdomain)),
        ...unlisted(group, `${field}.apiGroup`, ['']),
        ...(hasNamespace ? [] : [required(`${field}.namespace`)]),
      ];
    }
    return [
      ...nameless,
      ...(subjectKinds.includes(String(subject.kind))
        ? unlisted(group, `${field}.apiGroup`, [rbacGroup])
        : [notSupported(`${field}.kind`, subject.kind, subjectKinds)]),
    ];
  });
}

const rolePrinter = printer([createdAtCell]);

function subjects(kind: string) {
  return (object: JsonObject) =>
    objectsAt(object, 'subjects')
      .filter((subject) => subject.kind === kind)
      .map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : String(name)))
      .join(', ');
}

const bindingPrinter = printer([
  cell('Role', (object) => {
    const { kind, name } = objectAt(object, 'roleRef');
    return `${kind}/${name}`;
  }),
  ageCell,
  cell('Users', subjects('User'), { wide: true }),
  cell('Groups', subjects('Group'), { wide: true }),
  cell('ServiceAccounts', subjects('ServiceAccount'), { wide: true }),
]);

/** Roles and bindings, namespaced and cluster-wide. */
export const accessKinds: readonly KindEntry[] = [
  ...['Role', 'ClusterRole'].map((kind) => ({
    group: rbacGroup,
    kind,
    strategy: role,
    printer: rolePrinter,
  })),
  ...['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({
    group: rbacGroup,
    kind,
    strategy: binding,
    printer: bindingPrinter,
  })),
];
