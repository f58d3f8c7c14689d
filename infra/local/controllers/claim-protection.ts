import { read, type Stored } from '../api-server/storage/stored.ts';
import { mergePatchType, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const collectionName = 'persistentvolumeclaims';
const protectionFinalizer = 'kubernetes.io/pvc-protection';

/** Removes the protection of deleted volume claims: without pods none is ever in use. */
export function claimProtection({ server, work, ...context }: ControllerContext): Controller {
  const client = context.client('pvc-protection-controller');

  const release = ({ namespace, name }: Stored): void => {
    const current = server.store.get(collectionName, namespace, name);
    if (current === undefined) return;
    const { metadata } = read(current, 'v1', 'PersistentVolumeClaim');
    const { finalizers = [], deletionTimestamp, resourceVersion } = metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(protectionFinalizer)) return;
    const kept = finalizers.filter((one) => one !== protectionFinalizer);
    unlessLostRace(() =>
      client({
        verb: 'patch',
        resource: { group: '', version: 'v1', plural: collectionName },
        namespace,
        name,
        contentType: mergePatchType,
        body: { metadata: { resourceVersion, finalizers: kept } },
      }),
    );
  };

  return {
    onChange: ({ collection, after }) => {
      if (collection === collectionName && after?.body.includes('"deletionTimestamp":')) {
        work.add(`release ${after.key}`, () => release(after));
      }
    },
  };
}
