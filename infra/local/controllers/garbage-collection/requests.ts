import type { Registry } from '../../api-server/resources/registry.ts';
import type { Stored } from '../../api-server/storage/stored.ts';
import { type ControllerClient, isLostRace, mergePatchType } from '../client.ts';

/** A stored object and its collection. */
export interface Located {
  readonly collection: string;
  readonly stored: Stored;
}

/** Sends the garbage collector's requests to the API server; after a lost race, `again` queues the object. */
export interface Requests {
  readonly patch: (located: Located, metadata: object) => void;
  readonly remove: (located: Located, propagationPolicy: 'Foreground' | 'Background') => void;
}

export function createRequests(
  client: ControllerClient,
  registry: Registry,
  again: (located: Located) => void,
): Requests {
  const send = (verb: 'delete' | 'patch', located: Located, body: unknown): void => {
    const { collection, stored } = located;
    const resource = registry.resources().find((one) => one.collection === collection);
    const version = resource?.versions[0]?.name;
    if (resource === undefined || version === undefined) return;
    try {
      client({
        verb,
        resource: { group: resource.group, plural: resource.plural, version },
        namespace: stored.namespace,
        name: stored.name,
        body,
        ...(verb === 'patch' ? { contentType: mergePatchType } : {}),
      });
    } catch (error) {
      if (!isLostRace(error)) throw error;
      again(located);
    }
  };

  return {
    patch: (located, metadata) =>
      send('patch', located, { metadata: { ...lockOf(located.stored), ...metadata } }),
    remove: (located, propagationPolicy) =>
      send('delete', located, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions: { uid: located.stored.uid },
        propagationPolicy,
      }),
  };
}

function lockOf({ uid, revision }: Stored) {
  return { uid, resourceVersion: String(revision) };
}
