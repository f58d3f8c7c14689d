import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { messageOf } from '../../../shared/cluster/errors.ts';
import type { Kind } from '../../../shared/kinds/define-kind.ts';
import type { Json } from '../../../shared/kubernetes.ts';
import { UsageError } from '../errors.ts';

/** The list of endpoints in a YAML or JSON file, as the kind's schema lets it in. */
export function readEndpoints(kind: Kind, file: string): Json {
  const schema = kind.schema.spec.properties.endpoints;
  const value = parseFile(file);
  if (schema === undefined) throw new UsageError(`${kind.kind} has no endpoints`);
  if (Value.Check(schema, value)) return value as Json;
  const faults = [...Value.Errors(schema, value)].map(
    ({ instancePath, message }) => `endpoints${instancePath.replaceAll('/', '.')} ${message}`,
  );
  throw new UsageError(
    `${file}: ${faults.join('; ')}; it is a list like [{path: /, scopes: []}, {path: /orders, scopes: [orders.read]}]`,
  );
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
