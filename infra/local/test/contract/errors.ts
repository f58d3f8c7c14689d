import type { ErrorBody } from './contract-case.ts';

/** A field of an invalid object, the error, and its reason if that is unusual. */
export type InvalidField = readonly [field: string, message: string, reason?: string];

/** Builds a 422 that lists invalid fields; `kind` is `Kind.group`, or `Kind` in the core group. */
export function invalid(kind: string, name: string, fields: readonly InvalidField[]): ErrorBody {
  // The message contains each text once; the causes contain all.
  const texts = [...new Set(fields.map(([field, message]) => `${field}: ${message}`))];
  const causes = fields.map(([field, message, reason = 'FieldValueInvalid']) => ({
    reason,
    message,
    field,
  }));
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return {
    reason: 'Invalid',
    message: `${kind} ${JSON.stringify(name)} is invalid: ${list}`,
    details: { ...(name === '' ? {} : { name }), ...groupKind(kind), causes },
  };
}

/** The following answers name a resource as `plural.group`, or `plural` in the core group. */
export function modified(resource: string, name: string): ErrorBody {
  return conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function conflict(resource: string, name: string, why: string): ErrorBody {
  return {
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${resource} "${name}": ${why}`,
    details: { name, ...groupKind(resource) },
  };
}

export function notFound(resource: string, name: string): ErrorBody {
  return {
    reason: 'NotFound',
    message: `${resource} "${name}" not found`,
    details: { name, ...groupKind(resource) },
  };
}

export function alreadyExists(resource: string, name: string): ErrorBody {
  return {
    reason: 'AlreadyExists',
    message: `${resource} "${name}" already exists`,
    details: { name, ...groupKind(resource) },
  };
}

export function badRequest(message: string | RegExp): ErrorBody {
  return { reason: 'BadRequest', message };
}

function groupKind(qualified: string): { readonly group?: string; readonly kind: string } {
  const [kind = '', ...group] = qualified.split('.');
  return group.length === 0 ? { kind } : { group: group.join('.'), kind };
}
