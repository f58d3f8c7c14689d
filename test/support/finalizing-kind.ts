import { child, configMap, defineKind, gone, job, nameAtMost, Type } from '../../index.ts';

export const podOf = (image: string) => ({
  restartPolicy: 'Never' as const,
  containers: [{ name: 'a', image }],
});

/**
 * A kind whose Jobs make and remove something outside Kubernetes. The ConfigMap `NAME-bucket` stands for a resource of
 * another controller, and goes after the Job that empties it.
 */
export const depot = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Depot',
  plural: 'depots',
  spec: Type.Object({ image: Type.String({ default: 'one' }) }),
  rules: [nameAtMost(40)],
  samples: [{ name: 'north', spec: {} }],
  owns: [configMap, job],
  finalizeSeconds: 600,
  children: ({ name, spec: { image } }) => [
    child(job, {
      name: `${name}-make`,
      step: 'once',
      body: { spec: { template: { spec: podOf(image) } } },
    }),
    child(configMap, { name: `${name}-bucket`, body: { data: { a: 'b' } } }),
    child(configMap, { name: `${name}-settings`, body: { data: { image } } }),
  ],
  finalize({ name, spec: { image } }) {
    const empty = { type: job, name: `${name}-empty` };
    return [
      child(job, { ...empty, body: { spec: { template: { spec: podOf(image) } } } }),
      gone(configMap, { name: `${name}-bucket`, needs: [empty] }),
    ];
  },
});

export const finalizer = 'example.org/serverless-reconciler';
