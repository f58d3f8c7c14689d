/** The keywords of a schema, as the kind's author wrote it. */
export type Keywords = Readonly<Record<string, unknown>>;

export function refuse(path: string, problem: string): never {
  throw new Error(`${path}: ${problem}`);
}

const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Turns exclusive bounds into flags, as in OpenAPI v3. Refuses 1.5, which the API server would round down to 1. */
export function translateBounds(schema: Keywords, path: string): Keywords {
  for (const name of ['multipleOf', ...bounds.flat()])
    if (schema[name] !== undefined && !Number.isInteger(schema[name]))
      refuse(path, `${name} ${schema[name]} is not an integer; use a rule (withRules) instead`);
  if (Number(schema.multipleOf ?? 1) <= 0) refuse(path, 'multipleOf must be positive');
  const { exclusiveMinimum: _, exclusiveMaximum: __, ...rest } = schema;
  const flags = bounds.flatMap(([name, exclusive]): readonly Keywords[] => {
    if (schema[exclusive] === undefined) return [];
    if (name in schema) refuse(path, `${name} and ${exclusive} are both set; keep one`);
    return [{ [name]: schema[exclusive], [exclusive]: true }];
  });
  return Object.assign(rest, ...flags);
}

/** The formats that both the API server and TypeBox check. */
const formats = ['date', 'date-time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'];

export function checkText({ format, pattern }: Keywords, path: string): void {
  if (format !== undefined && !formats.includes(String(format)))
    refuse(
      path,
      `format ${JSON.stringify(format)} is not supported; use a pattern, or one of ${formats.join(', ')}`,
    );
  if (pattern === undefined) return;
  if (typeof pattern !== 'string') refuse(path, 'pattern must be a string, not a RegExp');
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    refuse(path, `pattern "${pattern}": ${(error as Error).message}`);
  }
}
