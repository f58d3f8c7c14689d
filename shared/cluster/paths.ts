import { present } from '../json.ts';
import { pathSegmentProblem, type ResourceType } from '../kubernetes.ts';
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

/** Throws the API server's error for an illegal name or namespace: such a path would address something else. */
export function item(type: ResourceType, { namespace, name }: Key, what: string): string {
  const fields = { 'metadata.name': name, 'metadata.namespace': namespace || undefined };
  for (const [field, value] of Object.entries(fields)) {
    const problem = value === undefined ? undefined : pathSegmentProblem(value);
    if (problem === undefined) continue;
    const shown = JSON.stringify(value);
    const subject = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
    const message = `${subject} ${shown} is invalid: ${field}: Invalid value: ${shown}: ${problem}`;
    throw new KubeError(what, { code: 422, status: { reason: 'Invalid', message } });
  }
  return `${collection(type, namespace)}/${encodeURIComponent(name)}`;
}

export function listQuery(selection: Selection, limit: number, token: string): string {
  const more = present({ continue: token || undefined });
  return `${new URLSearchParams({ limit: `${limit}`, ...selectorQuery(selection), ...more })}`;
}

export function selectorQuery(selection: Selection): Readonly<Record<string, string>> {
  const { name, labels = {}, selector = '', fields = {} } = selection;
  const equal = (pairs: object) => Object.entries(pairs).map((pair) => pair.join('='));
  const byName = { ...fields, ...present({ 'metadata.name': name }) };
  const labelSelector = [...equal(labels), selector].filter((one) => one !== '').join(',');
  return present({
    labelSelector: labelSelector || undefined,
    fieldSelector: equal(byName).join(',') || undefined,
  });
}

export const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
