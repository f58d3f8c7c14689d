import { apiVersionOf } from '../api-server/objects/object.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { mergePatchType, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

/** The kinds that are protected while in use, by collection. */
const protectedKinds = {
  persistentvolumeclaims: {
    resource: { group: '', version: 'v1', plural: 'persistentvolumeclaims' },
    finalizer: 'kubernetes.io/pvc-protection',
    controller: 'pvc-protection-controller',
  },
  persistentvolumes: {
    resource: { group: '', version: 'v1', plural: 'persistentvolumes' },
    finalizer: 'kubernetes.io/pv-protection',
    controller: 'pv-protection-controller',
  },
  'volumeattributesclasses.storage.k8s.io': {
    resource: { group: 'storage.k8s.io', version: 'v1', plural: 'volumeattributesclasses' },
    finalizer: 'kubernetes.io/vac-protection',
    controller: 'volumeattributesclass-protection-controller',
  },
};

/** Removes the finalizers of deleted volumes, claims and classes: without pods, none is in use. */
export function protection(context: ControllerContext): Controller[] {
  return Object.entries(protectedKinds).map(([collectionName, kind]) =>
    protectionOf(context, collectionName, kind),
  );
}

function protectionOf(
  { server, work, ...context }: ControllerContext,
  collectionName: string,
  { resource, finalizer, controller }: (typeof protectedKinds)['persistentvolumes'],
): Controller {
  const client = context.client(controller);

  const release = ({ namespace, name }: Stored): void => {
    const current = server.store.get(collectionName, namespace, name);
    if (current === undefined) return;
    const { metadata } = read(current, apiVersionOf(resource.group, resource.version), '');
    const { finalizers = [], deletionTimestamp, resourceVersion } = metadata;
    if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) return;
    const kept = finalizers.filter((one) => one !== finalizer);
    unlessLostRace(() =>
      client({
        verb: 'patch',
        resource,
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
        work.add(`release ${collectionName} ${after.key}`, () => release(after));
      }
    },
  };
}
