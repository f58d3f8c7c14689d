import { copyOf } from '../json/text.ts';
import type { Condition, Definition } from '../kinds/definition/definition.ts';
import { timestamp } from '../objects/object.ts';
import type { ServerState } from '../resources/server-state.ts';
import { tracked } from '../writes/managed-fields.ts';
import { existing, updateObject } from '../writes/update-object.ts';
import { definitionTarget, itself } from './definition-writer.ts';
import { nameConflict } from './name-conflict.ts';

/** Reports whether the names of a definition are unchecked, or have changed since they were checked. */
export function needsAcceptance(definition: Definition): boolean {
  return (
    definition.status?.conditions?.find(({ type }) => type === 'NamesAccepted') === undefined ||
    definition.spec.names.kind !== definition.status.acceptedNames?.kind ||
    JSON.stringify(definition.spec.names.shortNames ?? []) !==
      JSON.stringify(definition.status.acceptedNames?.shortNames ?? [])
  );
}

/** Checks the names of a definition, and writes the result to its conditions. */
export function accept(server: ServerState, definition: Definition): void {
  const conflict = nameConflict(definition, server.registry.resources());
  const since = timestamp(server.clock());
  const condition = (
    type: string,
    status: string,
    about: readonly [string, string],
  ): Condition => ({
    type,
    status,
    lastTransitionTime: since,
    reason: about[0],
    message: about[1],
  });
  const conditions = conflict
    ? [
        condition('NamesAccepted', 'False', [conflict.reason, conflict.message]),
        condition('Established', 'False', ['NotAccepted', 'not all names are accepted']),
      ]
    : [
        condition('NamesAccepted', 'True', ['NoConflicts', 'no conflicts found']),
        condition('Established', 'True', [
          'InitialNamesAccepted',
          'the initial names have been accepted',
        ]),
      ];
  writeStatus(server, definition, (status) => ({
    ...status,
    conditions: [
      ...conditions,
      ...(status?.conditions ?? []).filter(
        ({ type }) => type !== 'NamesAccepted' && type !== 'Established',
      ),
    ],
    ...(conflict ? {} : { acceptedNames: definition.spec.names }),
  }));
}

function writeStatus(
  server: ServerState,
  { metadata }: Definition,
  change: (status: Definition['status']) => Definition['status'],
): void {
  const target = definitionTarget(server, metadata.name ?? '', 'status');
  const old = existing(server, target);
  const updated = copyOf(old) as Definition;
  updated.status = change(updated.status) ?? {};
  const object = tracked(updated, old, { target, writer: itself, now: server.clock() });
  updateObject(server, object, { target, writer: itself });
}
