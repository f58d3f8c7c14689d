import type { Kind } from '../../../shared/kinds/kind.ts';

/** Exports the conditions of all kinds as `reconciler_resource_condition`: 1 for True, 0 for False. */
export const customResourceState = (kinds: readonly Kind[]) => ({
  kind: 'CustomResourceStateMetrics',
  spec: {
    resources: kinds.map(({ group, version, kind, plural }) => ({
      groupVersionKind: { group, version, kind },
      resourcePlural: plural,
      metricNamePrefix: 'reconciler',
      labelsFromPath: { namespace: ['metadata', 'namespace'], name: ['metadata', 'name'] },
      metrics: [
        {
          name: 'resource_condition',
          help: 'Conditions of the resources that the reconciler manages',
          each: {
            type: 'Gauge',
            gauge: {
              path: ['status', 'conditions'],
              labelsFromPath: { type: ['type'], reason: ['reason'] },
              valueFrom: ['status'],
            },
          },
        },
      ],
    })),
  },
});

/** The role to bind to the service account of kube-state-metrics. */
export const customResourceStateRole = (kinds: readonly Kind[], name: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: `${name}-kube-state-metrics` },
  rules: [
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: ['get', 'list', 'watch'],
    },
    ...[...Map.groupBy(kinds, ({ group }) => group)].map(([group, own]) => ({
      apiGroups: [group],
      resources: own.map(({ plural }) => plural),
      verbs: ['get', 'list', 'watch'],
    })),
  ],
});
