import { describe, expect, it } from 'vitest';
import builtIn from '../../api-server/generated/schemas.json' with { type: 'json' };
import { applyDefaults } from '../../api-server/schema/default.ts';
import { prune } from '../../api-server/schema/prune.ts';
import type { Definitions, Schema } from '../../api-server/schema/schema.ts';

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer' };

const spec: Schema = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 3 },
    name: text,
    gone: { type: 'string', nullable: true },
    labels: { type: 'object', additionalProperties: text },
    list: {
      type: 'array',
      items: { type: 'object', properties: { a: count, b: { type: 'integer', default: 1 } } },
    },
    free: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'object', properties: { a: count } } },
    },
    embedded: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: { type: 'object', properties: { a: count } } },
    },
    nested: {
      type: 'object',
      default: {},
      properties: {
        x: { type: 'integer', default: 7 },
        y: { type: 'integer', nullable: true, default: 1 },
      },
    },
  },
};
const source = { root: { type: 'object', properties: { spec } }, definitions: {} };
const object = (given: object, metadata: object = { name: 'n' }): object => ({
  apiVersion: 'a/v1',
  kind: 'A',
  metadata,
  spec: given,
});

interface Case {
  readonly reason: string;
  readonly given: object;
  readonly want: object;
  readonly unknown?: string[];
}

const pruned: Record<string, Case> = {
  Known: {
    reason: 'what is declared stays',
    given: { size: 1, labels: { x: 'y' } },
    want: { size: 1, labels: { x: 'y' } },
  },
  Unknown: {
    reason: 'the rest goes, with its path, sorted',
    given: { bogus: 1, list: [{ a: 1 }, { a: 2, z: 1 }], name: 'x' },
    want: { list: [{ a: 1 }, { a: 2 }], name: 'x' },
    unknown: ['spec.bogus', 'spec.list[1].z'],
  },
  Preserved: {
    reason: 'unknown fields may be preserved, known ones among them are still pruned',
    given: { free: { any: { x: 1 }, known: { a: 1, b: 2 } } },
    want: { free: { any: { x: 1 }, known: { a: 1 } } },
    unknown: ['spec.free.known.b'],
  },
  Embedded: {
    reason: 'an embedded resource keeps its type and metadata',
    given: {
      embedded: {
        apiVersion: 'v1',
        kind: 'K',
        metadata: { name: 'x', odd: 1 },
        spec: { b: 1 },
        z: 1,
      },
    },
    want: { embedded: { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' }, spec: {} } },
    unknown: ['spec.embedded.metadata.odd', 'spec.embedded.spec.b', 'spec.embedded.z'],
  },
  Null: {
    reason: 'null goes where it may not be and nothing stands in for it',
    given: { name: null, gone: null, size: null },
    want: { gone: null, size: null },
  },
};

describe.each(Object.entries(pruned))('pruning a custom resource: %s', (_, row) => {
  it(row.reason, () => {
    const { value, unknown } = prune(source, object(row.given));
    expect({ value, unknown }).toEqual({ value: object(row.want), unknown: row.unknown ?? [] });
  });
});

const defaulted: Record<string, Case> = {
  Absent: {
    reason: 'absent fields get their defaults, and those of what they default to',
    given: {},
    want: { size: 3, nested: { x: 7, y: 1 } },
  },
  Null: {
    reason: 'so do null ones that may not be null',
    given: { size: null, nested: { x: null, y: null } },
    want: { size: 3, nested: { x: 7, y: null } },
  },
  Items: {
    reason: 'items are filled in',
    given: { list: [{}] },
    want: { size: 3, list: [{ b: 1 }], nested: { x: 7, y: 1 } },
  },
  Given: {
    reason: 'what is there stays',
    given: { size: 1, nested: { x: 0, y: 0 } },
    want: { size: 1, nested: { x: 0, y: 0 } },
  },
};

describe.each(Object.entries(defaulted))('defaulting a custom resource: %s', (_, row) => {
  it(row.reason, () => {
    const given = object(row.given);
    const before = structuredClone(given);
    expect(applyDefaults(source, given)).toEqual(object(row.want));
    expect(given).toEqual(before);
  });
});

describe('what needs no change', () => {
  it('comes back itself', () => {
    const given = object({ size: 1, nested: { x: 1, y: 1 } });
    expect(prune(source, given).value).toBe(given);
    expect(applyDefaults(source, given)).toBe(given);
  });

  it('includes managed fields', () => {
    const entry = {
      manager: 'm',
      operation: 'Apply',
      apiVersion: 'a/v1',
      time: 't',
      fieldsType: 'FieldsV1',
    };
    const managedFields = [
      { ...entry, fieldsV1: { 'f:spec': { 'f:size': {} } }, subresource: 's' },
    ];
    const given = object({}, { name: 'n', managedFields });
    expect(prune(source, given)).toEqual({ value: given, unknown: [] });
  });
});

describe('a built-in kind', () => {
  const definitions = builtIn.definitions as unknown as Definitions;
  const root = definitions['io.k8s.api.core.v1.Pod'] ?? {};

  it('loses unknown fields, nulls and empty optional lists and maps, and has all its structures', () => {
    const given = {
      metadata: { name: 'p', labels: {}, creationTimestamp: null },
      spec: {
        containers: [{ name: 'c', args: [], bogus: 1, resources: {} }],
        volumes: [{ name: 'v', emptyDir: {} }],
        nodeSelector: {},
      },
      odd: 1,
    };
    expect(prune({ root, definitions }, given)).toEqual({
      value: {
        metadata: { name: 'p' },
        spec: {
          containers: [{ name: 'c', resources: {} }],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
        status: {},
      },
      unknown: ['spec.containers[0].bogus', 'odd'],
    });
  });
});
