import { type TObject, Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { columnConditions } from '../../shared/kinds/condition-types.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import type { Column, KindVersion } from '../../shared/kinds/kind.ts';
import { customResourceReadiness } from '../../shared/kinds/readiness.ts';
import type { Rule } from '../../shared/kinds/schema/rules.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { containerApp } from '../../systems/container-app.ts';
import { foo } from '../../systems/foo.ts';
import { defaultSettings } from '../../systems/settings.ts';
import { website } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { kinds } from '../support/config.ts';
import { foo as resource } from '../support/resources.ts';
import { team } from '../support/team.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly names: Fields;
    readonly scope: string;
    readonly versions: readonly [
      {
        readonly name: string;
        readonly subresources: Fields;
        readonly additionalPrinterColumns: readonly { readonly name: string }[];
        readonly schema: { readonly openAPIV3Schema: Schema };
      },
    ];
  };
}

interface Schema {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
  readonly [key: string]: unknown;
}

const definitionOf = (kind: Parameters<typeof customResourceDefinition>[0]) =>
  customResourceDefinition(kind) as unknown as Definition;
const schemaOf = (kind: Parameters<typeof customResourceDefinition>[0]) =>
  definitionOf(kind).spec.versions[0].schema.openAPIV3Schema;

const probe = (over: {
  readonly spec?: TObject;
  readonly rules?: readonly Rule[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly versions?: readonly KindVersion[];
  readonly columns?: readonly Column[];
}) =>
  defineKind({
    group: 'example.com',
    version: 'v1',
    kind: 'Probe',
    plural: 'probes',
    spec: Type.Object({}) as TObject,
    samples: [],
    owns: [],
    children: () => [],
    ...over,
  });

interface Case {
  readonly reason: string;
  readonly given: TObject;
  readonly want: {
    readonly spec: readonly string[] | undefined;
    readonly root: readonly string[] | undefined;
  };
}

const required: Record<string, Case> = {
  AllOptional: {
    reason: 'a resource without a spec is legal',
    given: Type.Object({ a: Type.Optional(Type.String()) }),
    want: { spec: undefined, root: undefined },
  },
  Required: {
    reason: 'a required field takes effect only if the spec is required as well',
    given: Type.Object({ a: Type.String(), b: Type.Optional(Type.String()) }),
    want: { spec: ['a'], root: ['spec'] },
  },
  Default: {
    reason: 'a field with a default is never required',
    given: Type.Object({ a: Type.String({ default: 'x' }), b: Type.Integer({ default: 0 }) }),
    want: { spec: undefined, root: undefined },
  },
  DefaultAndRequired: {
    reason: 'each field is decided separately',
    given: Type.Object({ a: Type.String({ default: 'x' }), b: Type.Integer() }),
    want: { spec: ['b'], root: ['spec'] },
  },
};

describe('the schema', () => {
  it.each(casesOf(required))('C-9 %s', (_, { given, want }) => {
    const schema = schemaOf(probe({ spec: given }));
    expect({ spec: schema.properties.spec?.required, root: schema.required }).toEqual(want);
  });

  it('keeps the bounds and the default of a field', () => {
    expect(schemaOf(website).properties.spec).toMatchObject({
      type: 'object',
      properties: {
        imageTag: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$' },
        nodePort: { type: 'integer', minimum: 30000, maximum: 32767, default: 31000 },
      },
      required: ['imageTag'],
    });
  });

  it('bounds integers by those that JavaScript reads exactly', () => {
    const spec = Type.Object({
      any: Type.Optional(Type.Integer()),
      small: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }))),
      large: Type.Optional(Type.Record(Type.String(), Type.Integer({ maximum: 2 ** 60 }))),
      port: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
      one: Type.Optional(Type.Literal(1)),
      fraction: Type.Optional(Type.Number()),
    });
    const most = Number.MAX_SAFE_INTEGER;
    expect(schemaOf(probe({ spec })).properties.spec?.properties).toEqual({
      any: { type: 'integer', minimum: -most, maximum: most },
      small: { type: 'array', items: { type: 'integer', minimum: 1, maximum: most } },
      large: {
        type: 'object',
        additionalProperties: { type: 'integer', minimum: -most, maximum: most },
      },
      port: {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        'x-kubernetes-int-or-string': true,
        minimum: -most,
        maximum: most,
      },
      one: expect.not.objectContaining({ maximum: expect.anything() }),
      fraction: { type: 'number' },
    });
  });

  it('uses the description of the spec for the kind, and describes the common status', () => {
    const description = 'What it is for.';
    const described = schemaOf(probe({ spec: Type.Object({}, { description }) }));
    expect(described).toMatchObject({ description });
    expect(described.properties.spec).not.toHaveProperty('description');
    expect(schemaOf(probe({}))).toMatchObject({ description: expect.stringMatching(/Probe/) });
    expect(described.properties.status?.properties.conditions).toMatchObject({
      description: expect.stringMatching(/^Ready is always present/),
    });
  });

  it('lets tools that follow kstatus wait for the first run of a new resource', () => {
    const status = schemaOf(foo).properties.status?.default as JsonObject;
    const live = { ...resource(), status };
    expect(customResourceReadiness(live)).toMatchObject({ state: 'InProgress' });
  });

  it('contains the rules on the whole resource', () => {
    const rules = [{ rule: 'size(self.metadata.name) <= 39', message: 'name too long' }];
    expect(schemaOf(probe({ rules }))['x-kubernetes-validations']).toEqual(rules);
    expect(schemaOf(probe({}))).not.toHaveProperty('x-kubernetes-validations');
  });

  it('contains the rules on a field and on the spec at their paths', () => {
    const spec = schemaOf(containerApp(defaultSettings)).properties.spec;
    expect(spec?.['x-kubernetes-validations']).toContainEqual(
      expect.objectContaining({ message: 'max replicas must not be less than min replicas' }),
    );
    expect(spec?.properties.endpoints).toMatchObject({
      maxItems: 64,
      'x-kubernetes-validations': [expect.objectContaining({ rule: expect.any(String) })],
    });
  });

  it.each(kinds.map((kind) => [kind.kind, kind] as const))('C-8 has a status for %s', (_, kind) => {
    const { status } = schemaOf(kind).properties;
    expect(Object.keys(status?.properties ?? {})).toEqual([
      ...Object.keys(kind.schema.status),
      'observedGeneration',
      'children',
      'lastApplied',
      'rolloutTarget',
      'conditions',
    ]);
    expect(status).not.toHaveProperty('required');
    expect(status?.properties.lastApplied).toMatchObject({
      'x-kubernetes-map-type': 'atomic',
      properties: { children: { maxItems: 2000, items: { maxLength: 64 } } },
    });
    expect(status?.properties.conditions).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    });
  });

  it.each(kinds.map((kind) => [kind.kind, kind] as const))('is structural for %s', (_, kind) => {
    const untyped: string[] = [];
    const walk = (schema: Schema, path: string): void => {
      if (schema.type === undefined) untyped.push(path);
      for (const [name, inner] of Object.entries(schema.properties ?? {}))
        walk(inner, `${path}.${name}`);
      if (schema.items !== undefined) walk(schema.items as Schema, `${path}[]`);
    };
    walk(schemaOf(kind), '');
    expect(untyped).toEqual([]);
    expect(JSON.stringify(schemaOf(kind))).not.toMatch(/\$ref|\$id|"~/);
  });
});

describe('the CRD', () => {
  it('has the name that the API requires', () => {
    expect(definitionOf(foo)).toMatchObject({
      metadata: { name: 'foos.example.com' },
      spec: {
        names: { kind: 'Foo', listKind: 'FooList', plural: 'foos', singular: 'foo' },
        scope: 'Namespaced',
        versions: [{ name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } }],
      },
    });
    expect(definitionOf(foo).spec.names).not.toHaveProperty('shortNames');
    expect(definitionOf(foo).spec.names).toMatchObject({ categories: ['reconciled'] });
    expect(
      definitionOf(probe({ shortNames: ['pr'], categories: ['all', 'reconciled'] })).spec.names,
    ).toMatchObject({ shortNames: ['pr'], categories: ['reconciled', 'all'] });
  });

  it('serves other versions with the same schema, and stores none of them', () => {
    const versions = [
      { name: 'v2', served: false },
      { name: 'v1beta1', served: true, deprecated: true },
    ];
    const [stored, ...others] = definitionOf(probe({ versions })).spec
      .versions as readonly Fields[];
    const { name, served, storage, ...common } = stored!;
    expect({ name, served, storage }).toEqual({ name: 'v1', served: true, storage: true });
    expect(others).toEqual(versions.map((one) => ({ ...one, storage: false, ...common })));
  });

  it('shows the columns of the kind first', () => {
    const columns = definitionOf(website).spec.versions[0].additionalPrinterColumns;
    expect(columns.map(({ name }) => name)).toEqual([
      'Image Tag',
      'Node Port',
      'Ready',
      'Reason',
      ...columnConditions,
      'Age',
    ]);
  });

  it('replaces a common column by a column of the kind with the same name', () => {
    const own = { name: 'Age', type: 'string', jsonPath: '.spec.since' } as const;
    const spec = Type.Object({ since: Type.String() });
    const columns = definitionOf(probe({ spec, columns: [own] })).spec.versions[0]
      .additionalPrinterColumns;
    expect(columns.map(({ name }) => name)).toEqual([
      'Age',
      'Ready',
      'Reason',
      ...columnConditions,
    ]);
    expect(columns[0]).toEqual(own);
  });
});

describe('the status of a resource', () => {
  it.each(kinds)('C-11 allows no more children than a run reads: $kind', (kind) => {
    const { children } = schemaOf(kind).properties.status!.properties;
    expect(children).toMatchObject({ type: 'array', maxItems: 2000 });
  });
});

describe('a cluster-scoped kind', () => {
  it('has the scope Cluster, and the namespaces of its children in its status', () => {
    const { spec } = customResourceDefinition(team) as unknown as Definition;
    expect(spec.scope).toBe('Cluster');
    expect(JSON.stringify(spec)).toContain(
      '"name":{"type":"string"},"namespace":{"type":"string"}',
    );
  });
});
