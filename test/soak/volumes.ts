import { randomUUID } from 'node:crypto';
import type { ResourceType } from '../../shared/kubernetes.ts';
import type { Api, Live } from '../scenarios/api.ts';

const persistentVolume: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
};

/** Keeps some volumes available; only the real control plane needs them, each once. */
export async function provideVolumes(api: Api): Promise<void> {
  const volumes = await api.list(persistentVolume);
  const phaseOf = ({ status }: Live) => (status as { readonly phase?: string } | undefined)?.phase;
  for (const { metadata } of volumes.filter((one) => phaseOf(one) === 'Released'))
    await api.remove(persistentVolume, metadata.name);
  if (volumes.filter((one) => phaseOf(one) === 'Available').length > 20) return;
  for (let count = 0; count < 20; count++) {
    await api.create(persistentVolume, `volume-${randomUUID()}`, {
      spec: {
        capacity: { storage: '1Ti' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/nowhere' },
      },
    });
  }
}
