import { badRequest, invalidObject } from '../errors/api-errors.ts';
import { invalid, notSupported } from '../errors/field-error.ts';
import { typeProblem } from '../go/print.ts';
import { readWithHalves } from '../go/written-numbers.ts';
import { own } from '../json/own.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { parseObjectBody } from '../requests/body.ts';
import { integerAt, isSet } from '../requests/query.ts';
import { dryRunErrors } from '../requests/write-options.ts';
import type { DeleteOptions } from '../writes/delete-object.ts';
import type { Call } from './call.ts';

type Given = DeleteOptions & { readonly dryRun?: readonly string[] };

/** Reads the options of a delete from the body or, without a body, from the query. */
export function deleteOptionsOf(call: Call): { options: DeleteOptions; dryRun: boolean } {
  const { dryRun = [], ...options } = call.body === '' ? fromQuery(call.query) : fromBody(call);
  assertConsistent({ ...options, dryRun });
  warnOfOrphans(call, options);
  return { options, dryRun: dryRun.length > 0 };
}

function warnOfOrphans({ target, warn }: Call, options: DeleteOptions): void {
  const { orphanWarning } = target.served.resource.strategy;
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy === undefined && orphanDependents === undefined && orphanWarning) {
    warn(orphanWarning);
  }
}

function fromQuery(query: URLSearchParams): Given {
  const gracePeriodSeconds = integerAt(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const preconditions = preconditionsOf(query);
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(query.has('orphanDependents')
      ? { orphanDependents: isSet(query, 'orphanDependents') }
      : {}),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    dryRun: query.getAll('dryRun'),
  };
}

function preconditionsOf(query: URLSearchParams): NonNullable<DeleteOptions['preconditions']> {
  const [uid, resourceVersion] = [query.get('uid'), query.get('resourceVersion')];
  return { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}

function fromBody({ body, contentType }: Call): Given {
  const read = parseObjectBody(body, contentType) ?? {};
  if (!isObject(read)) {
    const type = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
    throw wrongHead(typeProblem(read, `value of type ${type}`));
  }
  assertKind(read);
  const parsed = contentType === 'application/yaml' ? read : withHalves(body, read);
  assertTypes(parsed, 'DeleteOptions.', optionTypes);
  const { preconditions, dryRun, ...rest } = withoutNulls(parsed);
  if (isObject(preconditions)) {
    assertTypes(preconditions, 'Preconditions.preconditions.', preconditionTypes);
  }
  return {
    ...rest,
    ...(isObject(preconditions) ? { preconditions: withoutNulls(preconditions) } : {}),
    dryRun: Array.isArray(dryRun) ? dryRun.map((value) => value ?? '') : [],
  };
}

/** Adds 0.5 to each integer that is written as a fraction (`1.0`), so that it is refused. */
function withHalves(body: string, read: JsonObject): JsonObject {
  const halved = readWithHalves(body);
  return isObject(halved) ? halved : read;
}

/** Refuses any kind but DeleteOptions, which may have any version or none: every API group has it. */
function assertKind(parsed: JsonObject): void {
  const { kind, apiVersion } = parsed;
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if ((value ?? null) === null || isText(value)) continue;
    throw wrongHead(typeProblem(value, `struct field .${field} of type string`));
  }
  if (String(apiVersion ?? '').split('/').length > 2) {
    throw badRequest(`unexpected GroupVersion string: ${apiVersion}`);
  }
  if (['DeleteOptions', '', null, undefined].some((one) => one === kind)) return;
  throw badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion || 'meta.k8s.io/v1')} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function wrongHead(why: string) {
  return badRequest(`couldn't get version/kind; json parse error: ${why}`);
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

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isInteger(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 2 ** 63;
}

const optionTypes: Readonly<Record<string, FieldType>> = {
  gracePeriodSeconds: { name: 'int64', fits: isInteger },
  preconditions: { name: 'v1.Preconditions', fits: isObject },
  orphanDependents: { name: 'bool', fits: isFlag },
  propagationPolicy: { name: 'v1.DeletionPropagation', fits: isText },
  dryRun: { name: '[]string', fits: Array.isArray },
  ignoreStoreReadErrorWithClusterBreakingPotential: { name: 'bool', fits: isFlag },
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
  for (const [field, value] of Object.entries(map)) {
    const type = own(types, field);
    if (type === undefined || value === null) continue;
    const wrong = type.fits(value) ? wrongItem(value) : { value, name: type.name };
    if (wrong === undefined) continue;
    throw badRequest(
      typeProblem(wrong.value, `struct field ${prefix}${field} of type ${wrong.name}`),
    );
  }
}

/** Returns the first item of a list that is not a string. */
function wrongItem(value: unknown): { value: unknown; name: string } | undefined {
  if (!Array.isArray(value) || value.every(isTextOrNull)) return undefined;
  return { value: value.find((item) => !isTextOrNull(item)), name: 'string' };
}

const knownPolicies = ['Foreground', 'Background', 'Orphan'];

function assertConsistent({ propagationPolicy, orphanDependents, dryRun = [] }: Given): void {
  const errors = [];
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
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0)
    throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, errors);
}
