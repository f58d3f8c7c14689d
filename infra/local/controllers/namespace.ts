import { objectAt } from '../api-server/json/value.ts';
import { find } from '../api-server/storage/collection.ts';
import type { Change } from '../api-server/storage/stored.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

/** Empties namespaces that are being deleted, and finalizes them once nothing is left. */
export function namespaceController({ server, work, ...context }: ControllerContext): Controller {
  const { store, registry } = server;
  const client = context.client('namespace-controller');
  const terminating = new Set<string>();

  const isEmpty = (name: string): boolean =>
    registry.resources().every(({ namespaced, collection }) => {
      if (!namespaced) return true;
      return !store.collection(collection).entries.some(({ namespace }) => namespace === name);
    });

  const empty = (name: string): void => {
    for (const { namespaced, group, plural, versions, collection } of registry.resources()) {
      const version = versions[0]?.name;
      if (!namespaced || version === undefined) continue;
      if (!store.collection(collection).entries.some(({ namespace }) => namespace === name))
        continue;
      client({
        verb: 'deletecollection',
        resource: { group, version, plural },
        namespace: name,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
      });
    }
  };

  const sync = (name: string): void => {
    const stored = find(store.collection('namespaces'), name);
    if (stored === undefined) return;
    empty(name);
    if (isEmpty(name)) finalize(stored);
  };

  const finalize = (stored: Stored): void => {
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
  };

  const onChange = ({ collection, before, after }: Change): void => {
    if (collection === 'namespaces') {
      if (after === undefined) terminating.delete(before?.name ?? '');
      else if (after.fields['status.phase'] === 'Terminating') {
        terminating.add(after.name);
        work.add(`namespace ${after.name}`, () => sync(after.name));
      }
    } else if (after === undefined && before && terminating.has(before.namespace)) {
      const { namespace } = before;
      work.add(`namespace ${namespace}`, () => sync(namespace));
    }
  };

  return { onChange };
}
