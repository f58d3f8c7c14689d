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
 * Returns the path of one object. Refuses an illegal name or namespace as the API server would, because in a
 * path it would address something else, such as a subresource or the collection.
 */
export function item(type: ResourceType, { namespace, name }: Key, what: string): string {
  requireSegment(type, { name, field: 'name' }, what);
  if (namespace) requireSegment(type, { name: namespace, field: 'namespace' }, what);
  return `${collection(type, namespace)}/${encodeURIComponent(name)}`;
}

interface Segment {
  readonly name: string;
  readonly field: 'name' | 'namespace';
}

function requireSegment({ group, kind }: ResourceType, segment: Segment, what: string): void {
  const { name, field } = segment;
  const problem = name === '' ? 'name or generateName is required' : pathSegmentProblem(name);
  if (problem === undefined) return;
  const shown = JSON.stringify(name);
  const isMissing = name === '';
  const refusal = isMissing ? `Required value: ${problem}` : `Invalid value: ${shown}: ${problem}`;
  const subject = group === '' ? kind : `${kind}.${group}`;
  const reason = isMissing ? 'FieldValueRequired' : 'FieldValueInvalid';
  throw new KubeError(what, {
    code: 422,
    status: {
      reason: 'Invalid',
      message: `${subject} ${shown} is invalid: metadata.${field}: ${refusal}`,
      details: {
        name,
        group,
        kind,
        causes: [{ reason, message: refusal, field: `metadata.${field}` }],
      },
    },
  });
}

export const under = (subresource: string | undefined): string =>
  subresource === undefined ? '' : `/${subresource}`;

export const nameOf = ({ kind }: ResourceType, { namespace, name }: Key): string =>
  titleOf({ kind, namespace, name });

export function listQuery(selection: Selection, limit: number, token: string): string {
  const query = new URLSearchParams({ limit: String(limit), ...selectorQuery(selection) });
  if (token !== '') query.set('continue', token);
  return query.toString();
}

/** Returns the query parameters that select objects for a list or a watch. */
export function selectorQuery({
  name,
  labels = {},
  selector: text = '',
  fields = {},
}: Selection): Readonly<Record<string, string>> {
  const labelSelector = [selector(Object.entries(labels)), text].filter(Boolean).join(',');
  const fieldSelector = Object.entries({
    ...fields,
    ...(name === undefined ? {} : { 'metadata.name': name }),
  });
  return {
    ...(labelSelector === '' ? {} : { labelSelector }),
    ...(fieldSelector.length === 0 ? {} : { fieldSelector: selector(fieldSelector) }),
  };
}

const selector = (pairs: readonly (readonly [string, string | readonly string[]])[]): string =>
  pairs.map(([name, value]) => `${name}${oneOf([value].flat())}`).join(',');

const oneOf = (values: readonly string[]): string =>
  values.length === 1 ? `=${values[0]}` : ` in (${values.join(',')})`;

/** The Accept header for a request of only the metadata. */
export const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
