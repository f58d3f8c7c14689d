import { objectAt, textAt } from '../api-server/json/value.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { mergePatchType, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const claims = { group: '', version: 'v1', plural: 'persistentvolumeclaims' };
const collectionName = 'persistentvolumeclaims';

/**
 * Binds every PersistentVolumeClaim at once, as if each class had a provisioner.
 *
 * Caveats: makes no PersistentVolume. Ignores classes, so no claim waits for its first consumer. Does not expand a
 * claim that requests more later.
 */
export function claimController({ server, work, ...context }: ControllerContext): Controller {
  const client = context.client('persistent-volume-binder');

  const sync = ({ namespace, name }: Stored): void => {
    const current = server.store.get(collectionName, namespace, name);
    if (current === undefined) return;
    const claim = read(current, 'v1', 'PersistentVolumeClaim');
    const { deletionTimestamp, resourceVersion, uid } = claim.metadata;
    if (deletionTimestamp !== undefined || objectAt(claim, 'status').phase === 'Bound') return;
    const spec = objectAt(claim, 'spec');
    if (textAt(spec, 'volumeName') === '') {
      const metadata = { resourceVersion, annotations: bound };
      const body = { metadata, spec: { volumeName: `pvc-${uid}` } };
      const patch = { verb: 'patch', contentType: mergePatchType, resource: claims } as const;
      unlessLostRace(() => client({ ...patch, namespace, name, body }));
      return;
    }
    const { requests } = objectAt(spec, 'resources');
    const status = { phase: 'Bound', accessModes: spec.accessModes, capacity: requests };
    const update = { verb: 'update', subresource: 'status', resource: claims } as const;
    unlessLostRace(() => client({ ...update, namespace, name, body: { ...claim, status } }));
  };

  return {
    onChange: ({ collection, after }) => {
      if (collection === collectionName && after) work.add(`bind ${after.key}`, () => sync(after));
    },
  };
}

const bound = {
  'pv.kubernetes.io/bind-completed': 'yes',
  'pv.kubernetes.io/bound-by-controller': 'yes',
};
