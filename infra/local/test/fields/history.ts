import { type ApplyResult, serverSideApply } from '../../api-server/fields/apply.ts';
import { conflictMessage } from '../../api-server/fields/conflict.ts';
import { type FieldSet, fieldSet } from '../../api-server/fields/field-set.ts';
import { pathText } from '../../api-server/fields/path-element.ts';
import { pathsOf } from '../../api-server/fields/set-paths.ts';
import { trackUpdate } from '../../api-server/fields/update.ts';
import type { Schema } from '../../api-server/schema/schema.ts';

const text: Schema = { type: 'string' };

/** A custom kind with every way in which lists and maps can merge. */
export const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        image: text,
        labels: { type: 'object', additionalProperties: text },
        pair: {
          type: 'object',
          properties: { a: text, b: text },
          'x-kubernetes-map-type': 'atomic',
        },
        args: { type: 'array', items: text },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: text,
            },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
};

const source = { root: schema, definitions: {} };
const apiVersion = 'example.com/v1';

export type Step = {
  readonly by: string;
  readonly at?: number;
  readonly subresource?: string;
  readonly force?: boolean;
  readonly resetFields?: FieldSet;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
} & ({ readonly verb: 'apply' } | { readonly verb: 'update' });

function minute(at: number): string {
  return `2024-01-01T00:${String(at).padStart(2, '0')}:00Z`;
}

export const statusReset = fieldSet(['f:status']);

function objectOf({ metadata, spec, status }: Step): object {
  const name = { name: 'web', ...metadata };
  return {
    apiVersion,
    kind: 'Web',
    metadata: name,
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  };
}

export function take(step: Step, live: object | undefined, now: number): ApplyResult {
  const { by: manager, subresource, force = false, resetFields } = step;
  const common = { source, manager, apiVersion, subresource, resetFields, now: minute(now) };
  return step.verb === 'apply'
    ? serverSideApply({ ...common, live, applied: objectOf(step), force })
    : { kind: 'merged', object: trackUpdate({ ...common, old: live, updated: objectOf(step) }) };
}

/** Returns the result of a sequence of writes, one minute apart. */
export function play(steps: readonly Step[]): { object?: object; refused?: string } {
  let object: object | undefined;
  for (const [index, step] of steps.entries()) {
    const result = take(step, object, index);
    if (result.kind === 'conflict') return { refused: conflictMessage(result.conflicts) };
    if (result.kind === 'invalid') return { refused: result.message };
    object = result.object;
  }
  return { object: object ?? {} };
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1: FieldSet;
}

export function entriesOf(object: object | undefined): readonly Entry[] {
  const { metadata } = object as { metadata: { managedFields?: readonly Entry[] } };
  return metadata.managedFields ?? [];
}

/** Returns the owners: the fields of each entry, in the server's order. */
export function ownersOf(object: object | undefined): Record<string, string[]> {
  return Object.fromEntries(
    entriesOf(object).map(({ manager, operation, subresource, fieldsV1 }) => [
      [manager, operation, subresource].filter((part) => part !== undefined).join(' '),
      pathsOf(fieldsV1).map(pathText),
    ]),
  );
}
