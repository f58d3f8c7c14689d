/** Builds containers and pod templates with all defaults that the API server adds. */

export const defaultedContainer = (fields: object = {}) => ({
  name: 'web',
  image: 'nginx:1',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
  ...fields,
});

export const defaultedPodSpec = (fields: object = {}) => ({
  containers: [defaultedContainer()],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  ...fields,
});

/** Builds the stored form of `podTemplate()`, with further fields in its spec. */
export const defaultedPodTemplate = (spec: object = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: defaultedPodSpec(spec),
});
