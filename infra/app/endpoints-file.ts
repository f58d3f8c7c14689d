import { readFileSync } from 'node:fs';
import { Check, Errors } from 'typebox/schema';
import { parse } from 'yaml';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Json } from '../../shared/kubernetes.ts';
import { UsageError } from '../cli/base/command-errors.ts';

export function readEndpoints(kind: Kind, file: string): Json {
  const schema = kind.schema.spec.properties.endpoints;
  const value = parseFile(file);
  if (schema === undefined) throw new UsageError(`${kind.kind} has no endpoints`);
  if (Check(schema, value)) {
    requireKnown(schema, value as readonly object[], file);
    return value as Json;
  }
  const faults = Errors(schema, value)[1].map(
    ({ instancePath, message }) => `endpoints${instancePath.replaceAll('/', '.')} ${message}`,
  );
  throw new UsageError(
    `${file}: ${faults.join('; ')}; expected a list like [{path: /, scopes: []}, {path: /orders, scopes: [orders.read]}]`,
  );
}

/** Refuses unknown fields: the API server would drop a misspelt `scopes`, and so make the path public. */
function requireKnown(schema: object, value: readonly object[], file: string): void {
  const { items } = schema as { readonly items?: { readonly properties?: object } };
  const known = Object.keys(items?.properties ?? {});
  for (const [at, endpoint] of value.entries()) {
    const unknown = Object.keys(endpoint).find((key) => !known.includes(key));
    if (unknown === undefined) continue;
    throw new UsageError(
      `${file}: endpoints.${at} has an unknown field ${JSON.stringify(unknown)}; known fields: ${known.join(', ')}`,
    );
  }
}

function parseFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--endpoints: ${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`--endpoints: ${file} is neither YAML nor JSON: ${messageOf(error)}`);
  }
}
