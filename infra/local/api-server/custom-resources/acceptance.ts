import { copyOf } from '../objects/json-text.ts';
import { timestamp } from '../objects/time.ts';
import type { ApiServer } from '../server.ts';
import { tracked } from '../verbs/managed-fields.ts';
import { updateObject } from '../writes/update-object.ts';
import type { Condition, Definition } from './definition.ts';
import { definitionTarget, itself } from './definition-writer.ts';
import { nameConflict } from './name-conflict.ts';

/** Whether the names of a definition have not been judged, or not these. */
export const needsAcceptance = (definition: Definition): boolean =>
  definition.status?.conditions?.find(({ type }) => type === 'NamesAccepted') === undefined ||
  definition.spec.names.kind !== definition.status.acceptedNames?.kind ||
  JSON.stringify(definition.spec.names.shortNames ?? []) !==
    JSON.stringify(definition.status.acceptedNames?.shortNames ?? []);

/** Judges the names of a definition: accepted and established, or told why not. */
export const accept = (server: ApiServer, definition: Definition): void => {
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
};

const writeStatus = (
  server: ApiServer,
  { metadata }: Definition,
  change: (status: Definition['status']) => Definition['status'],
): void => {
  const target = definitionTarget(server, metadata.name ?? '', 'status');
  updateObject(server, {
    target,
    writer: itself,
    createIfAbsent: false,
    transform: (old) => {
      const updated = copyOf(old) as Definition;
      updated.status = change(updated.status) ?? {};
      return tracked(updated, old, { target, writer: itself, now: server.clock() });
    },
  });
};
