import { badRequest, invalidObject } from '../errors/errors.ts';
import { typeProblem } from '../objects/go-json.ts';
import { isMap, type JsonMap } from '../objects/object.ts';
import { parseObjectBody } from '../requests/body.ts';
import { isSet } from '../requests/boolean.ts';
import type { Call } from '../requests/call.ts';
import { integerAt } from '../requests/integer.ts';
import { isDryRun, writerOf } from '../requests/write-options.ts';
import { invalid, notSupported } from '../schema/field-error.ts';
import type { DeleteOptions } from '../writes/delete-object.ts';

type Given = DeleteOptions & { readonly dryRun?: readonly string[] };

/** The options of a delete: the body's, or the query's where there is no body. */
export const deleteOptionsOf = (call: Call): { options: DeleteOptions; dryRun: boolean } => {
  const { query } = call;
  const options = call.body.trim() === '' ? fromQuery(call) : fromBody(call);
  assertConsistent(options);
  return { options, dryRun: isDryRun(query) || (options.dryRun ?? []).includes('All') };
};

const fromQuery = (call: Call): Given => {
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
};

const preconditionsOf = (query: URLSearchParams): NonNullable<DeleteOptions['preconditions']> => {
  const [uid, resourceVersion] = [query.get('uid'), query.get('resourceVersion')];
  return { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
};

const fromBody = (call: Call): Given => {
  writerOf(call);
  const parsed = parseObjectBody(call.body, call.contentType) ?? {};
  if (!isMap(parsed)) {
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
  assertTypes(parsed, 'DeleteOptions.', OPTIONS);
  if (isMap(parsed.preconditions)) {
    assertTypes(parsed.preconditions, 'Preconditions.preconditions.', PRECONDITIONS);
  }
  return withoutNulls(parsed) as Given;
};

const withoutNulls = (map: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null));

interface FieldType {
  readonly name: string;
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const OPTIONS: Readonly<Record<string, FieldType>> = {
  gracePeriodSeconds: { name: 'int64', fits: Number.isInteger },
  preconditions: { name: 'v1.Preconditions', fits: isMap },
  orphanDependents: { name: 'bool', fits: (value) => typeof value === 'boolean' },
  propagationPolicy: { name: 'v1.DeletionPropagation', fits: isText },
  dryRun: { name: '[]string', fits: (value) => Array.isArray(value) && value.every(isText) },
};

const PRECONDITIONS: Readonly<Record<string, FieldType>> = {
  uid: { name: 'types.UID', fits: isText },
  resourceVersion: { name: 'string', fits: isText },
};

const assertTypes = (
  map: JsonMap,
  prefix: string,
  types: Readonly<Record<string, FieldType>>,
): void => {
  for (const [field, { name, fits }] of Object.entries(types)) {
    const value = map[field] ?? null;
    if (value === null || fits(value)) continue;
    throw badRequest(typeProblem(value, `struct field ${prefix}${field} of type ${name}`));
  }
};

const POLICIES = ['Foreground', 'Background', 'Orphan'];

const assertConsistent = ({ propagationPolicy, orphanDependents, dryRun = [] }: Given): void => {
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
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    errors.push(notSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
  }
  if (errors.length > 0)
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, errors);
};
