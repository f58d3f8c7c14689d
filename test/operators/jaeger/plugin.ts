import type { api } from 'serverless-reconciler';
import type { PodFields } from '../resources.ts';
import type { Spec } from './spec.ts';

/** A storage that is a program: a container copies it into a volume before the process starts it. */
export function pluginOf({ storage }: Spec, type: string, fields: PodFields) {
  if (type !== 'grpc-plugin') return { volumes: [], volumeMounts: [], initContainers: [] };
  const volumeMount = { name: 'plugin', mountPath: '/plugin' };
  const volume: api.Volume = { name: volumeMount.name, emptyDir: {} };
  const container: api.Container = {
    name: 'install-plugin',
    image: storage.grpcPlugin.image,
    imagePullPolicy: fields.imagePullPolicy,
    securityContext: fields.containerSecurityContext,
    volumeMounts: [volumeMount, ...(fields.volumeMounts ?? [])],
  };
  return { volumes: [volume], volumeMounts: [volumeMount], initContainers: [container] };
}
