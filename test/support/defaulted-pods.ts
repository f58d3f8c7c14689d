import type { JsonObject } from '../../shared/kubernetes.ts';

/** The spec of a pod with one container, with all defaults that the API server adds to a template. */
export const defaultedPodSpec = (container: JsonObject) => ({
  containers: [
    {
      imagePullPolicy: 'IfNotPresent',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      ...container,
    },
  ],
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
});
