import type { ErrorBody } from '../contract/contract-case.ts';
import { valueAt } from '../contract/value-at.ts';

/**
 * Replaces generated values in a server's responses by the order in which they first appeared. Two servers
 * agree if the masked texts are equal: then each value changed or stayed on both.
 */
export interface Mask {
  readonly apply: (value: unknown) => unknown;
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const clusterIp = /\b10\.96\.\d+\.\d+\b/g;
const time = /^20\d\d-\d\d-\d\dT[\d:.]+Z$/;
const preconditions =
  /(ResourceVersion in (?:precondition|object meta): |in (?:record|the precondition) \()(\d+)/g;
/** The server chose this port: requests name only lower ones. */
const highestNamedPort = 30_085;

export function createMask(): Mask {
  const seen = new Map<string, string>();
  const symbol = (what: string, value: unknown): string => {
    const key = `${what} ${value}`;
    const known = seen.get(key) ?? `${what}-${seen.size + 1}`;
    seen.set(key, known);
    return `<${known}>`;
  };

  function maskText(text: string, key: string): string {
    // The dry run of a create shows the lock in the request.
    if (key === 'resourceVersion' && ['0', '1'].includes(text)) return '';
    if (key === 'resourceVersion' && /^\d\d+$/.test(text)) return symbol('version', text);
    if (time.test(text) && isRecent(text)) return '<time>';
    return text
      .replace(uid, (found) => symbol('uid', found))
      .replace(clusterIp, (found) => symbol('address', found))
      .replace(preconditions, (_, before, version) => before + symbol('version', version))
      .replace(/\b3[0-2]\d{3}\b/g, (found) =>
        isChosen(Number(found)) ? symbol('port', found) : found,
      );
  }

  function mask(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return maskText(value, key);
    if (typeof value === 'number') return isChosen(value) ? symbol('port', value) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => mask(item, key));
      return key === 'managedFields' ? items.map(entryText).sort() : items;
    }
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (rankOf(a) < rankOf(b) ? -1 : 1))
        .map(([inner, item]) => [maskText(inner, ''), mask(item, inner)] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  return {
    apply: (value) => mask(isStatus(value) ? plain(value) : value),
  };
}

/** Removes the known differences from an error; see the README of the local cluster. */
function plain(error: ErrorBody): ErrorBody {
  const { message = '', reason } = error;
  const text = String(message);
  if (text.startsWith(' "" is invalid: patch: ')) {
    return { ...error, message: 'the patch is invalid', details: {} };
  }
  if (text.startsWith('failed to convert new object') && !text.includes('base64')) {
    return { ...error, message: 'cannot be converted' };
  }
  if (undecodable.test(text)) return { ...error, message: 'cannot be decoded' };
  if (text.startsWith('map: ')) return { ...error, message: 'no merge key' };
  if (text.startsWith('failed to create typed') && typing.test(text)) {
    return { ...error, message: 'cannot be typed' };
  }
  if (text.includes(': errors:\n'))
    return { ...error, message: text.split('\n').sort().join('\n') };
  const bytes = text.replace(/(illegal base64 data at input byte )\d+/, '$1…');
  if (bytes !== text) return { ...error, message: bytes };
  const causes = valueAt(error, 'details.causes');
  // The order of managers is random.
  if (reason === 'Conflict' && Array.isArray(causes)) {
    return {
      ...error,
      details: { ...(error.details as object), causes: causes.map(textOf).sort() },
    };
  }
  if (reason !== 'Invalid' || !Array.isArray(causes)) return error;
  // The errors about IP families depend on which of them were omitted.
  const families = causes.map(textOf).filter((cause) => cause.includes('dual-stack'));
  if (families.length > 0) return { ...error, message: 'no dual-stack', details: {} };
  const distinct = new Map(causes.map((cause) => [textOf(cause), textOf(cause)]));
  const kept = distinct.size === 1 ? [...distinct.values()] : ['several'];
  return {
    ...error,
    message: text.split(' is invalid: ')[0]!,
    details: { ...(error.details as object), causes: kept },
  };
}

/** An empty list equals none. */
const textOf = (cause: unknown): string =>
  JSON.stringify(cause).replace(/value: (null|\{\}):/, 'value: []:');

/** Reported in random order, or only up to the first one. */
const typing = /errors:|field not declared|=[{,\]]/;

const undecodable =
  /cannot be handled as a|Object 'Kind' is missing|the API version in the data|json: cannot unmarshal|no kind is registered|does not match the name on the URL/;

/** Masks managers last among the objects that contain uids, because their uids are known by then. */
const rankOf = (key: string): string => `${key === 'managedFields' ? 1 : 0}${key}`;

const entryText = (entry: unknown): string => JSON.stringify(entry);

const isStatus = (value: unknown): value is ErrorBody =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';

const isChosen = (port: number): boolean => port > highestNamedPort && port <= 32_767;

const isRecent = (text: string): boolean => Math.abs(Date.now() - Date.parse(text)) < 86_400_000;
