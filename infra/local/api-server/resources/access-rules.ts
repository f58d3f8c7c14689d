import type { FieldError } from '../errors/errors.ts';
import { pathSegment } from '../objects/names.ts';
import { isMap, type KubeObject, mapAt, mapsAt, setDefault, textAt } from '../objects/object.ts';
import { invalid, notSupported, required } from '../schema/field-error.ts';
import { jsonEqual } from '../schema/json.ts';
import type { Strategy } from './strategy.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Roles: names may hold colons, PUT creates what is missing. */
export const role: Strategy = {
  nameRule: pathSegment,
  unconditionalUpdate: true,
  createOnUpdate: true,
  validate: (object) =>
    mapsAt(object, 'rules').flatMap((rule, index) =>
      Array.isArray(rule.verbs) && rule.verbs.length > 0
        ? []
        : [required(`rules[${index}].verbs`, 'verbs must contain at least one value')],
    ),
};

/** Bindings: what they bind to never changes. */
export const binding: Strategy = {
  ...role,
  defaults: (object) => {
    if (isMap(object.roleRef)) setDefault(object.roleRef, 'apiGroup', GROUP);
    for (const subject of mapsAt(object, 'subjects')) {
      if (subject.kind === 'User' || subject.kind === 'Group')
        setDefault(subject, 'apiGroup', GROUP);
    }
  },
  validate: (object, old) => [...roleRefErrors(object, old), ...subjectErrors(object)],
};

const roleRefErrors = (object: KubeObject, old: KubeObject | undefined): FieldError[] => {
  const reference = mapAt(object, 'roleRef');
  const kind = textAt(reference, 'kind');
  return [
    ...(['ClusterRole', 'Role'].includes(kind)
      ? []
      : [notSupported('roleRef.kind', kind, ['ClusterRole', 'Role'])]),
    ...(textAt(reference, 'name') === '' ? [required('roleRef.name')] : []),
    ...(old && !jsonEqual(object.roleRef, old.roleRef)
      ? [invalid('roleRef', reference, 'cannot change roleRef')]
      : []),
  ];
};

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

const subjectErrors = (object: KubeObject): FieldError[] =>
  mapsAt(object, 'subjects').flatMap(({ kind, name }, index) => [
    ...(name ? [] : [required(`subjects[${index}].name`)]),
    ...(SUBJECT_KINDS.includes(String(kind))
      ? []
      : [notSupported(`subjects[${index}].kind`, kind, SUBJECT_KINDS)]),
  ]);
