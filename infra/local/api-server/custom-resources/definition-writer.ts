import type { Writer } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import type { Target } from '../resources/target.ts';

/** Writes to definitions as the server itself. */
export const itself: Writer = {
  manager: 'kube-apiserver',
  dryRun: false,
  fieldValidation: 'Ignore',
  warn: () => undefined,
};

export function definitionTarget(
  { registry }: ServerState,
  name: string,
  subresource: '' | 'status',
): Target {
  const served = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  if (served === undefined) throw new Error('definitions are not served');
  return { served, namespace: '', name, subresource };
}
