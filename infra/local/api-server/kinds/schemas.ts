import { readFileSync } from 'node:fs';
import type { Definitions, Schema, SchemaSource, Zeroes } from '../schema/schema.ts';

/** The schemas of the built-in kinds, as published by a real API server of this version. */
export interface BuiltInSchemas {
  readonly version: string;
  readonly definitions: Definitions;
  readonly schemaOf: (group: string, version: string, kind: string) => SchemaSource;
}

let known: BuiltInSchemas | undefined;

/** Reads the schemas once for all clusters of a process. */
export function readBuiltInSchemas(): BuiltInSchemas {
  known ??= read();
  return known;
}

function read(): BuiltInSchemas {
  const path = new URL('../generated/schemas.json', import.meta.url);
  const { version, definitions } = JSON.parse(readFileSync(path, 'utf8')) as {
    version: string;
    definitions: Definitions;
  };
  const zeroes = readZeroes(definitions);
  const byKind = new Map<string, string>();
  for (const [name, schema] of Object.entries(definitions)) {
    for (const gvk of schema['x-kubernetes-group-version-kind'] ?? []) {
      byKind.set(`${gvk.group}/${gvk.version}/${gvk.kind}`, name);
    }
  }
  return {
    version,
    definitions,
    schemaOf: (group, versionName, kind) => {
      const name = byKind.get(`${group}/${versionName}/${kind}`);
      const root = name === undefined ? undefined : definitions[name];
      if (root === undefined) throw new Error(`no schema of ${group}/${versionName} ${kind}`);
      return { root, definitions, zeroes };
    },
  };
}

function readZeroes(definitions: Definitions): ReadonlyMap<Schema, Zeroes> {
  const path = new URL('../generated/zeroes.json', import.meta.url);
  const byName = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Zeroes>;
  return new Map(
    Object.entries(byName).flatMap(([name, zeroes]): [Schema, Zeroes][] => {
      const schema = definitions[name];
      return schema === undefined ? [] : [[schema, zeroes]];
    }),
  );
}
