import { badRequest, invalidObject } from '../errors/api-errors.ts';
import { invalid, notSupported } from '../errors/field-error.ts';
import { typeProblem } from '../go/print.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { parseObjectBody } from '../requests/body.ts';
import { integerAt, isSet } from '../requests/query.ts';
import { isDryRun, writerOf } from '../requests/write-options.ts';
import type { DeleteOptions } from '../writes/delete-object.ts';
import type { Call } from './call.ts';

type Given = DeleteOptions & { readonly dryRun?: readonly string[] };

/** The options of a delete: the body's, or the query's where there is no body. */
export function deleteOptionsOf(call: Call): { options: DeleteOptions; dryRun: boolean } {
  const { query } = call;
  const options = call.body.trim() === '' ? fromQuery(call) : fromBody(call);
  assertConsistent(options);
  warnOfOrphans(call, options);
  return { options, dryRun: isDryRun(query) || (options.dryRun ?? []).includes('All') };
}

function warnOfOrphans({ target, warn }: Call, options: DeleteOptions): void {
  const { orphanWarning } = target.served.resource.strategy;
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy === undefined && orphanDependents === undefined && orphanWarning) {
    warn(orphanWarning);
  }
}

function fromQuery(call: Call): Given {
  const { query } = call;
  const gracePeriodSeconds = integerAt(query, 'gracePeriodSeconds');
  writerOf(call);
  const policy = query.get('propagationPolicy');
  const preconditions = preconditionsOf(query);
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(query.has('orphanDependents')
      ? { orphanDependents: isSet(query, 'orphanDependents') }
      : {}),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
  };
}

function preconditionsOf(query: URLSearchParams): NonNullable<DeleteOptions['preconditions']> {
  const [uid, resourceVersion] = [query.get('uid'), query.get('resourceVersion')];
  return { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}

function fromBody(call: Call): Given {
  writerOf(call);
  const parsed = parseObjectBody(call.body, call.contentType) ?? {};
  if (!isObject(parsed)) {
    const type = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
    const why = typeProblem(parsed, `value of type ${type}`);
    throw badRequest(`couldn't get version/kind; json parse error: ${why}`);
  }
  const { kind = 'DeleteOptions' } = parsed;
  if (kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(parsed.apiVersion || 'meta.k8s.io/v1')} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  assertTypes(parsed, 'DeleteOptions.', optionTypes);
  if (isObject(parsed.preconditions)) {
    assertTypes(parsed.preconditions, 'Preconditions.preconditions.', preconditionTypes);
  }
  return withoutNulls(parsed) as Given;
}

function withoutNulls(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));
}

interface FieldType {
  readonly name: string;
  readonly fits: (value: unknown) => boolean;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

const optionTypes: Readonly<Record<string, FieldType>> = {
  gracePeriodSeconds: { name: 'int64', fits: Number.isInteger },
  preconditions: { name: 'v1.Preconditions', fits: isObject },
  orphanDependents: { name: 'bool', fits: (value) => typeof value === 'boolean' },
  propagationPolicy: { name: 'v1.DeletionPropagation', fits: isText },
  dryRun: { name: '[]string', fits: (value) => Array.isArray(value) && value.every(isText) },
};

const preconditionTypes: Readonly<Record<string, FieldType>> = {
  uid: { name: 'types.UID', fits: isText },
  resourceVersion: { name: 'string', fits: isText },
};

function assertTypes(
  map: JsonObject,
  prefix: string,
  types: Readonly<Record<string, FieldType>>,
): void {
  for (const [field, { name, fits }] of Object.entries(types)) {
    const value = map[field] ?? null;
    if (value === null || fits(value)) continue;
    throw badRequest(typeProblem(value, `struct field ${prefix}${field} of type ${name}`));
  }
}

const knownPolicies = ['Foreground', 'Background', 'Orphan'];

function assertConsistent({ propagationPolicy, orphanDependents, dryRun = [] }: Given): void {
  const isKnown = dryRun.every((value) => value === 'All');
  const errors = isKnown ? [] : [notSupported('dryRun', dryRun, ['All'])];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    errors.push(
      invalid(
        'propagationPolicy',
        propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  if (propagationPolicy !== undefined && !knownPolicies.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...knownPolicies, 'nil']));
  }
  if (errors.length > 0)
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, errors);
}
