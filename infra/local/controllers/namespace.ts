import type { ApiServer } from '../api-server/dispatch/api-server.ts';
import { objectAt } from '../api-server/json/value.ts';
import type { Resource } from '../api-server/resources/resource.ts';
import { find } from '../api-server/storage/collection.ts';
import type { Change } from '../api-server/storage/stored.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { type ControllerClient, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

/** Empties namespaces that are being deleted, and finalizes them once they are empty. */
export function namespaceController({ server, work, ...context }: ControllerContext): Controller {
  const client = context.client('namespace-controller');
  const terminating = new Set<string>();

  const sync = (name: string): void => {
    const stored = find(server.store.collection('namespaces'), name);
    if (stored === undefined) return;
    for (const resource of withObjectsIn(name, server)) empty(name, resource, client);
    if (withObjectsIn(name, server).length === 0) finalize(stored, client);
  };
  const syncLater = (name: string): void => work.add(`namespace ${name}`, () => sync(name));

  const onChange = ({ collection, before, after }: Change): void => {
    if (collection === 'namespaces') {
      if (after === undefined) terminating.delete(before?.name ?? '');
      else if (after.fields['status.phase'] === 'Terminating') {
        terminating.add(after.name);
        syncLater(after.name);
      }
    } else if (after === undefined && before && terminating.has(before.namespace))
      syncLater(before.namespace);
  };

  return { onChange };
}

/** Returns the resources of which a namespace still has objects. */
const withObjectsIn = (name: string, { store, registry }: ApiServer): readonly Resource[] =>
  registry
    .resources()
    .filter(
      ({ namespaced, collection }) =>
        namespaced &&
        store.collection(collection).entries.some(({ namespace }) => namespace === name),
    );

function empty(
  namespace: string,
  { group, plural, versions }: Resource,
  client: ControllerClient,
): void {
  const version = versions[0]?.name;
  if (version === undefined) return;
  client({
    verb: 'deletecollection',
    resource: { group, version, plural },
    namespace,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
  });
}

function finalize(stored: Stored, client: ControllerClient): void {
  const namespace = read(stored, 'v1', 'Namespace');
  const body = { ...namespace, spec: { ...objectAt(namespace, 'spec'), finalizers: [] } };
  const { name } = stored;
  unlessLostRace(() =>
    client({
      verb: 'update',
      resource: namespaces,
      namespace: '',
      name,
      subresource: 'finalize',
      body,
    }),
  );
}
