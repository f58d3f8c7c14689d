import { cleanupFinalizer, type Definition } from '../kinds/definition/definition.ts';
import type { ServerState } from '../resources/server-state.ts';
import { deleteObject } from '../writes/delete-object.ts';
import { existing, updateObject } from '../writes/update-object.ts';
import { definitionTarget, itself } from './definition-writer.ts';

/** Deletes the objects of a definition that is being deleted, then removes its finalizer. */
export function cleanUp(server: ServerState, definition: Definition): void {
  const { store, registry } = server;
  const { group, names } = definition.spec;
  const { plural } = names;
  const resource = registry.resources().find((one) => one.group === group && one.plural === plural);
  const version = resource?.versions[0];
  const left = [...store.collection(`${plural}.${group}`).entries];
  if (resource && version) {
    for (const { namespace, name, body } of left) {
      if (JSON.parse(body).metadata.deletionTimestamp !== undefined) continue;
      const target = { served: { resource, version }, namespace, name, subresource: '' };
      deleteObject(server, {}, { target, writer: itself });
    }
  }
  if (store.collection(`${plural}.${group}`).entries.length > 0) return;
  const target = definitionTarget(server, definition.metadata.name ?? '', '');
  if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return;
  const updated = existing(server, target);
  const { finalizers = [] } = updated.metadata;
  updated.metadata.finalizers = finalizers.filter((one) => one !== cleanupFinalizer);
  updateObject(server, updated, { target, writer: itself });
}
