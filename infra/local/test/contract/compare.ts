import { isDeepStrictEqual } from 'node:util';
import type { StatusCause } from '../../api-server/errors/status.ts';
import type { Answer } from '../../client.ts';
import type { ErrorBody, Expectation, ManagersEntry } from './contract-case.ts';
import { valueAt } from './value-at.ts';

type Bodies = ReadonlyMap<string, unknown>;

/** Returns one line for each deviation of an answer from the expectation; empty if there is none. */
export function differences(expected: Expectation, answer: Answer, earlier: Bodies): string[] {
  const { status, error, body, text, at = {}, headers = {} } = expected;
  return [
    ...(answer.status === status ? [] : [`status: wanted ${status}, got ${answer.status}`]),
    ...(error === undefined ? [] : compareError(expected, answer)),
    ...(body === undefined ? [] : missing(body, answer.body, 'body')),
    ...(text === undefined ? [] : missing(text, answer.text, 'text')),
    ...Object.entries(at).flatMap(([path, wanted]) =>
      unequal(wanted, valueAt(answer.body, path), path),
    ),
    ...Object.entries(headers).flatMap(([name, wanted]) =>
      missing(wanted, answer.headers[name], `header ${name}`),
    ),
    ...compareManagers(expected.managers, answer),
    ...compareVersion(expected.version, answer, earlier),
    ...compareEvents(expected.events, answer),
  ];
}

function compareError({ status, error = {} }: Expectation, answer: Answer): string[] {
  const fixed = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: status };
  const { metadata: _, ...rest } = (answer.body ?? {}) as ErrorBody & { metadata?: unknown };
  const wanted = { ...fixed, ...inOrder(error), metadata: undefined };
  return unequal(wanted, inOrder(rest), 'body');
}

/** Ignores the order of causes: schema validation iterates over a map, so the real server lists them in any order. */
function inOrder(error: ErrorBody): ErrorBody {
  const causes = valueAt(error, 'details.causes') as StatusCause[] | undefined;
  if (error.reason !== 'Invalid' || causes === undefined || causes.length < 2) return error;
  const text = ({ field, message }: StatusCause) => `${field}: ${message}`;
  const sorted = causes.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
  const [subject, list] = String(error.message).split(' is invalid: [');
  const complete = list !== undefined && sorted.every((cause) => list.includes(text(cause)));
  const masked = complete ? { message: `${subject} is invalid` } : {};
  return { ...error, ...masked, details: { ...(error.details as object), causes: sorted } };
}

function missing(wanted: unknown, got: unknown, path: string): string[] {
  if (wanted instanceof RegExp) {
    return typeof got === 'string' && wanted.test(got) ? [] : [differ(path, wanted, got)];
  }
  if (Array.isArray(wanted)) {
    if (!Array.isArray(got) || got.length !== wanted.length) return [differ(path, wanted, got)];
    return wanted.flatMap((item, index) => missing(item, got[index], `${path}.${index}`));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof got !== 'object' || got === null) return [differ(path, wanted, got)];
    return Object.entries(wanted).flatMap(([key, inner]) =>
      missing(inner, (got as Record<string, unknown>)[key], `${path}.${key}`),
    );
  }
  return isDeepStrictEqual(wanted, got) ? [] : [differ(path, wanted, got)];
}

function unequal(wanted: unknown, got: unknown, path: string): string[] {
  const extra = extraKeys(wanted, got, path);
  return [...missing(wanted, got, path), ...extra];
}

function extraKeys(wanted: unknown, got: unknown, path: string): string[] {
  if (typeof wanted !== 'object' || wanted === null || typeof got !== 'object' || got === null) {
    return [];
  }
  if (wanted instanceof RegExp) return [];
  const expected = wanted as Record<string, unknown>;
  return Object.entries(got).flatMap(([key, value]) =>
    Object.hasOwn(expected, key)
      ? extraKeys(expected[key], value, `${path}.${key}`)
      : [differ(`${path}.${key}`, undefined, value)],
  );
}

function compareManagers(wanted: readonly ManagersEntry[] | undefined, answer: Answer): string[] {
  if (wanted === undefined) return [];
  const order = (entries: readonly ManagersEntry[]) =>
    entries.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return unequal(order(wanted), order(managersOf(answer.body)), 'managers');
}

function keyOf({ manager, operation, apiVersion, subresource = '' }: ManagersEntry): string {
  return [operation, manager, subresource, apiVersion].join(' ');
}

/** `metadata.managedFields` as cases write it. */
export function managersOf(body: unknown): ManagersEntry[] {
  const entries = (valueAt(body, 'metadata.managedFields') ?? []) as Record<string, unknown>[];
  return entries.map(({ time: _, fieldsType: __, fieldsV1, ...entry }) => ({
    ...(entry as Omit<ManagersEntry, 'fields'>),
    fields: fieldsV1,
  }));
}

function compareVersion(wanted: Expectation['version'], answer: Answer, earlier: Bodies): string[] {
  if (wanted === undefined) return [];
  const got = valueAt(answer.body, 'metadata.resourceVersion');
  const versionOf = (step: string) => valueAt(earlier.get(step), 'metadata.resourceVersion');
  if ('sameAs' in wanted)
    return unequal(versionOf(wanted.sameAs), got, `version as of ${wanted.sameAs}`);
  const moved = got !== undefined && got !== versionOf(wanted.movedSince);
  return moved ? [] : [`version: has not moved since ${wanted.movedSince}`];
}

function compareEvents(wanted: Expectation['events'], answer: Answer): string[] {
  return wanted === undefined ? [] : missing(wanted, answer.events ?? [], 'events');
}

function differ(path: string, wanted: unknown, got: unknown): string {
  const show = (value: unknown) =>
    value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? 'nothing');
  return `${path}: wanted ${show(wanted)}, got ${show(got)}`;
}
