import type { ResourceType } from '../../shared/kubernetes.ts';

const core = { group: '', version: 'v1' };

export const configMap: ResourceType = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
export const namespaceType: ResourceType = { ...core, kind: 'Namespace', plural: 'namespaces' };
