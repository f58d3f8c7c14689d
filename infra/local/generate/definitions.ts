type Schema = Readonly<Record<string, unknown>>;
type Definitions = Readonly<Record<string, Schema>>;

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The OpenAPI v3 document of one group and version, as `/openapi/v3/…` returns it. */
export interface OpenApiDocument {
  readonly components: { readonly schemas: Definitions };
}

const refPrefix = '#/components/schemas/';

/** Returns the definitions of the given kinds and everything that they refer to, sorted, without descriptions. */
export function definitionsOf(
  kinds: readonly GroupVersionKind[],
  documents: readonly OpenApiDocument[],
): Definitions {
  const all = mergeDefinitions(documents);
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    const schema = all.get(name);
    if (schema === undefined) throw new Error(`no definition of ${name} in the documents`);
    found.add(name);
    for (const next of refsOf(schema)) visit(next);
  };
  for (const kind of kinds) visit(nameOf(kind, all));
  const entries = [...found].sort().map((name) => [name, withoutProse(all.get(name) ?? {})]);
  return Object.fromEntries(entries);
}

function mergeDefinitions(documents: readonly OpenApiDocument[]): Map<string, Schema> {
  const all = new Map<string, Schema>();
  for (const { components } of documents) {
    for (const [name, schema] of Object.entries(components.schemas)) {
      const known = all.get(name);
      if (known !== undefined && JSON.stringify(shape(known)) !== JSON.stringify(shape(schema))) {
        throw new Error(`${name} is defined in two ways`);
      }
      if (known === undefined) all.set(name, schema);
    }
  }
  return all;
}

// DeleteOptions and similar kinds are listed in each document under its own group.
function shape({ 'x-kubernetes-group-version-kind': _served, ...rest }: Schema): Schema {
  return rest;
}

function nameOf(wanted: GroupVersionKind, all: ReadonlyMap<string, Schema>): string {
  const isWanted = (schema: Schema): boolean => {
    const served = schema['x-kubernetes-group-version-kind'];
    return (
      Array.isArray(served) &&
      served.some(
        ({ group, version, kind }) =>
          group === wanted.group && version === wanted.version && kind === wanted.kind,
      )
    );
  };
  const names = [...all].filter(([, schema]) => isWanted(schema)).map(([name]) => name);
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new Error(`${names.length} definitions of ${JSON.stringify(wanted)}`);
  }
  return name;
}

function refsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner.slice(refPrefix.length)] : refsOf(inner),
  );
}

function withoutProse(schema: Schema): Schema {
  const kept = Object.entries(schema)
    .filter(([key]) => key !== 'description')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, keep(key, value)]);
  return Object.fromEntries(kept);
}

function keep(key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).replace(refPrefix, '#/definitions/');
  if (key === 'default' || key === 'enum' || key.startsWith('x-kubernetes-')) return value;
  if (key === 'properties') {
    // A property may have the name `description`.
    const properties = Object.entries(value as Definitions).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(properties.map(([name, schema]) => [name, withoutProse(schema)]));
  }
  if (Array.isArray(value)) return value.map((item) => keepItem(item));
  return keepItem(value);
}

function keepItem(value: unknown): unknown {
  const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isSchema ? withoutProse(value as Schema) : value;
}
