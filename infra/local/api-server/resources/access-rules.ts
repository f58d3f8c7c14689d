import type { FieldError } from '../errors/errors.ts';
import { dnsSubdomain, pathSegment } from '../objects/names.ts';
import {
  isMap,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  mapsAt,
  textAt,
} from '../objects/object.ts';
import { invalid, notSupported, required } from '../schema/field-error.ts';
import { jsonEqual } from '../schema/json.ts';
import { misnamed, needed, unlisted } from './bounds.ts';
import type { Strategy } from './strategy.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Roles: names may hold colons, PUT creates what is missing. */
export const role: Strategy = {
  nameRule: pathSegment,
  unconditionalUpdate: true,
  createOnUpdate: true,
  validate: (object) =>
    mapsAt(object, 'rules').flatMap((rule, index) =>
      ruleErrors(rule, `rules[${index}]`, object.kind === 'Role'),
    ),
};

const ruleErrors = (rule: JsonMap, path: string, namespaced: boolean): FieldError[] => {
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
};

/** Bindings: what they bind to never changes. */
export const binding: Strategy = {
  ...role,
  defaults: (object) => {
    // Decoding may have filled in an empty text, which is none.
    const { roleRef } = object;
    if (isMap(roleRef)) roleRef.apiGroup ||= GROUP;
    for (const subject of mapsAt(object, 'subjects')) {
      if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= GROUP;
    }
  },
  validate: (object, old) => [...roleRefErrors(object, old), ...subjectErrors(object)],
};

const roleRefErrors = (object: KubeObject, old: KubeObject | undefined): FieldError[] => {
  const reference = mapAt(object, 'roleRef');
  const kind = textAt(reference, 'kind');
  return [
    ...unlisted(textAt(reference, 'apiGroup'), 'roleRef.apiGroup', [GROUP]),
    ...(['ClusterRole', 'Role'].includes(kind)
      ? []
      : [notSupported('roleRef.kind', kind, ['ClusterRole', 'Role'])]),
    ...needed(textAt(reference, 'name'), 'roleRef.name', pathSegment),
    ...(old && !jsonEqual(object.roleRef, old.roleRef)
      ? [invalid('roleRef', reference, 'cannot change roleRef')]
      : []),
  ];
};

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

const subjectErrors = (object: KubeObject): FieldError[] =>
  mapsAt(object, 'subjects').flatMap((subject, index) => {
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
      ...(SUBJECT_KINDS.includes(String(subject.kind))
        ? unlisted(group, `${field}.apiGroup`, [GROUP])
        : [notSupported(`${field}.kind`, subject.kind, SUBJECT_KINDS)]),
    ];
  });
