import type { ApiServer } from '../server.ts';
import type { Target, Writer } from '../writes/target.ts';

/** The server itself, as it writes to definitions. */
export const itself: Writer = {
  manager: 'kube-apiserver',
  dryRun: false,
  fieldValidation: 'Ignore',
  warn: () => undefined,
};

export const definitionTarget = (
  { registry }: ApiServer,
  name: string,
  subresource: '' | 'status',
): Target => {
  const served = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  if (served === undefined) throw new Error('definitions are not served');
  return { served, namespace: '', name, subresource };
};
