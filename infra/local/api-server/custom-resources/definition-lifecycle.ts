import {
  type Definition,
  definitionsCollection,
  hasCondition,
  isDeleting,
} from '../kinds/definition/definition.ts';
import type { ServerState } from '../resources/server-state.ts';
import type { Definitions } from '../schema/schema.ts';
import { type Change, encode, read, type Stored } from '../storage/stored.ts';
import { accept, needsAcceptance } from './acceptance.ts';
import { cleanUp } from './cleanup.ts';
import { customResource, schemaOf, shownUnder } from './custom-resource.ts';

/**
 * Serves the resources of definitions.
 *
 * Flow: accepts the names of a new definition and establishes it in a second write, as the real server does; then
 * serves its resource. After a definition is deleted, deletes its objects, and removes the definition with the last
 * object.
 */
export function serveDefinitions(server: ServerState, definitions: Definitions): void {
  const { store, registry } = server;
  const later = (stored: Stored, act: (definition: Definition) => void): void =>
    queueMicrotask(() => {
      const current = store.get(definitionsCollection, '', stored.name);
      if (current?.uid === stored.uid) act(definitionOf(current));
    });

  const onDefinitionChange = ({ before, after }: Change): void => {
    if (after === undefined) {
      if (before) registry.remove(...groupAndPlural(definitionOf(before)));
      return;
    }
    const definition = definitionOf(after);
    if (hasCondition(definition, 'Established')) {
      const resource = customResource(definition, definitions);
      registry.add(resource);
      // Its history begins here.
      store.collection(resource.collection);
      if (before) showUnderNewSchema(server, definition, definitions);
    }
    if (isDeleting(definition)) later(after, (current) => cleanUp(server, current));
    else if (needsAcceptance(definition)) later(after, (current) => accept(server, current));
  };

  store.subscribe((change) => {
    if (change.collection === definitionsCollection) onDefinitionChange(change);
    else if (change.after === undefined) {
      const definition = store.get(definitionsCollection, '', change.collection);
      if (definition && isDeleting(definitionOf(definition))) {
        later(definition, (current) => cleanUp(server, current));
      }
    }
  });
}

function definitionOf(stored: Stored): Definition {
  return read(stored, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition') as Definition;
}

function groupAndPlural({ spec }: Definition): [string, string] {
  return [spec.group, spec.names.plural];
}

/** Shows objects that were stored under an older schema as the new schema requires, without writing them. */
function showUnderNewSchema(
  { store }: ServerState,
  definition: Definition,
  definitions: Definitions,
): void {
  const [group, plural] = groupAndPlural(definition);
  const storage = definition.spec.versions.find((version) => version.storage);
  if (storage === undefined) return;
  const schema = schemaOf(storage, definitions);
  store.refresh(`${plural}.${group}`, (stored) => {
    const object = read(stored, `${group}/${storage.name}`, definition.spec.names.kind);
    return encode(shownUnder(schema, object), stored.revision, stored.fields);
  });
}
