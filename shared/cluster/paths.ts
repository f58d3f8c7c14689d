import { present } from '../json.ts';
import { pathSegmentProblem, type ResourceType, titleOf } from '../kubernetes.ts';
import type { Key, Selection } from './cluster.ts';
import { KubeError } from './cluster-errors.ts';

export const collection = (
  { group, version, plural }: ResourceType,
  namespace: string | undefined,
): string => {
  const api = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const namespacePath = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${api}${namespacePath}/${plural}`;
};

/**
 * Returns the path of one object. Refuses an illegal name or namespace as the API server would: in a path it would
 * address something else, such as a subresource or the collection.
 */
export function item(type: ResourceType, { namespace, name }: Key, what: string): string {
  requireSegment(type, { name }, what);
  if (namespace) requireSegment(type, { namespace }, what);
  return `${collection(type, namespace)}/${encodeURIComponent(name)}`;
}

function requireSegment(type: ResourceType, segment: Partial<Key>, what: string): void {
  const [[at, name = ''] = []] = Object.entries(segment);
  const shown = JSON.stringify(name);
  const isMissing = name === '';
  const problem = isMissing ? 'name or generateName is required' : pathSegmentProblem(name);
  if (problem === undefined) return;
  const field = `metadata.${at}`;
  const [reason, message] = isMissing
    ? ['FieldValueRequired', `Required value: ${problem}`]
    : ['FieldValueInvalid', `Invalid value: ${shown}: ${problem}`];
  const { group, kind } = type;
  const subject = group === '' ? kind : `${kind}.${group}`;
  throw new KubeError(what, {
    code: 422,
    status: {
      reason: 'Invalid',
      message: `${subject} ${shown} is invalid: ${field}: ${message}`,
      details: { name, group, kind, causes: [{ reason, message, field }] },
    },
  });
}

export const under = (subresource: string | undefined): string =>
  subresource === undefined ? '' : `/${subresource}`;

export const nameOf = ({ kind }: ResourceType, { namespace, name }: Key): string =>
  titleOf({ kind, namespace, name });

export function listQuery(selection: Selection, limit: number, token: string): string {
  const query = { limit: String(limit), ...selectorQuery(selection), continue: token || undefined };
  return new URLSearchParams(present(query) as Record<string, string>).toString();
}

export function selectorQuery(selection: Selection): Readonly<Record<string, string>> {
  const { name, labels = {}, selector: text, fields = {} } = selection;
  const byName = { ...fields, ...present({ 'metadata.name': name }) };
  const labelSelector = [selector(labels), text].filter(Boolean).join(',');
  return present({
    labelSelector: labelSelector || undefined,
    fieldSelector: selector(byName) || undefined,
  });
}

const selector = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

export const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
