import type { ResourceType } from '../kubernetes.ts';

/** A built-in kind that resources may own, with the facts about it that planning relies on. */
export interface ChildType extends ResourceType {
  /** Field paths that the API server refuses to change once set. */
  readonly immutable: readonly string[];
}

export const deployment: ChildType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  immutable: ['spec.selector'],
};

export const service: ChildType = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  immutable: [],
};

/** Every child type any kind has ever used: a child of a kind's past is still found and pruned. */
export const childTypes: readonly ChildType[] = [deployment, service];
