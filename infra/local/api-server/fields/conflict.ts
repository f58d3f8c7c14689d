import type { FieldSet } from './field-set.ts';
import { compareText, identify, type ManagedEntry } from './managers.ts';
import { pathText } from './path-element.ts';
import { pathsOf } from './set-paths.ts';

/** A field that the applied object would change and another manager owns. */
export interface Conflict {
  /** The other manager's entry. */
  readonly entry: ManagedEntry;
  /** The manager as in messages: `"kubectl" using apps/v1`. */
  readonly manager: string;
  readonly field: string;
}

export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  readonly message: string;
  readonly field: string;
}

/** Returns the conflicts for the given fields of each manager, sorted by manager. */
export function conflictsOf(
  lost: readonly { entry: ManagedEntry; fields: FieldSet }[],
): Conflict[] {
  return [...lost]
    .sort((a, b) => compareText(identify(a.entry), identify(b.entry)))
    .flatMap(({ entry, fields }) =>
      pathsOf(fields).map((path) => ({
        entry,
        manager: managerText(entry),
        field: pathText(path),
      })),
    );
}

/** Returns the causes in the details of the 409. */
export function conflictCauses(conflicts: readonly Conflict[]): ConflictCause[] {
  return conflicts.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${manager}`,
    field,
  }));
}

/** The message of the 409 answer. */
export function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`;
  }
  const fields = new Map<string, string[]>();
  for (const { manager, field } of conflicts) {
    fields.set(manager, [...(fields.get(manager) ?? []), field]);
  }
  const lines = [...fields].flatMap(([manager, paths]) => [
    `conflicts with ${manager}:`,
    ...paths.map((path) => `- ${path}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

// Omits "at TIME": the server compares managers by keys without a time.
function managerText({ manager = '', operation, apiVersion, subresource }: ManagedEntry): string {
  const name = JSON.stringify(manager);
  const where = subresource ? ` with subresource ${JSON.stringify(subresource)}` : '';
  return `${name}${where}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
