import { read, type Stored } from '../api-server/storage/stored.ts';
import { MERGE_PATCH, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const COLLECTION = 'persistentvolumeclaims';
const PROTECTION = 'kubernetes.io/pvc-protection';

/** Lets go of deleted volume claims: without pods none is ever in use. */
export const claimProtection = ({ server, work, ...context }: ControllerContext): Controller => {
  const client = context.client('pvc-protection-controller');

  const release = ({ namespace, name }: Stored): void => {
    const current = server.store.get(COLLECTION, namespace, name);
    if (current === undefined) return;
    const { metadata } = read(current, 'v1', 'PersistentVolumeClaim');
    const { finalizers = [], deletionTimestamp, resourceVersion } = metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(PROTECTION)) return;
    const kept = finalizers.filter((one) => one !== PROTECTION);
    unlessLostRace(() =>
      client({
        verb: 'patch',
        resource: { group: '', version: 'v1', plural: COLLECTION },
        namespace,
        name,
        contentType: MERGE_PATCH,
        body: { metadata: { resourceVersion, finalizers: kept } },
      }),
    );
  };

  return {
    heed: ({ collection, after }) => {
      if (collection === COLLECTION && after?.body.includes('"deletionTimestamp":')) {
        work.add(`release ${after.key}`, () => release(after));
      }
    },
  };
};
