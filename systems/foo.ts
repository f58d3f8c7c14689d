import { child, defineKind, deployment, labelValue, Type } from '../index.ts';

/** An nginx Deployment of a given name, with an optional replica count. */
export const foo = defineKind({
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'Foo',
  plural: 'foos',
  spec: Type.Object(
    {
      deploymentName: Type.Optional(Type.String({ description: 'Name of the Deployment.' })),
      replicas: Type.Optional(
        Type.Integer({
          description: 'Number of pods; if omitted, the Deployment keeps the number it has.',
          minimum: 1,
          maximum: 10,
        }),
      ),
    },
    { description: 'An nginx Deployment of a given name.' },
  ),
  status: {
    availableReplicas: Type.Optional(Type.Integer({ description: 'Pods that are available.' })),
  },
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.availableReplicas',
  },
  columns: [
    { name: 'Deployment', type: 'string', jsonPath: '.spec.deploymentName' },
    { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
  ],
  samples: [{ name: 'foo-sample', spec: { deploymentName: 'foo-sample', replicas: 1 } }],
  owns: [deployment],
  refuse: ({ deploymentName = '' }) =>
    deploymentName === '' ? 'deploymentName must be specified' : undefined,
  children({ name, spec: { deploymentName = '', replicas } }) {
    const labels = { app: 'nginx', controller: labelValue(name) };
    return [
      child(deployment, {
        name: deploymentName,
        handsOver: ['spec.replicas'],
        body: {
          spec: {
            replicas,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
            },
          },
        },
      }),
    ];
  },
  statusOf: ({ children }) => ({ availableReplicas: children[0]?.facts.availableReplicas ?? 0 }),
  notes: ({ completed }) =>
    completed ? [{ type: 'Normal', reason: 'Synced', message: 'Foo synced successfully' }] : [],
});
