import { isFields } from '../../json.ts';

/** The schema keywords that `inexactInteger` reads. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

const most = 2 ** 63;

/**
 * Explains which integer is beyond 2^53, where JavaScript rounds. The API server stores integer fields
 * exactly up to 2^63, so a run would write back another number. Accepts what the server rounds too: larger
 * integers and fields of type number.
 */
export function inexactInteger(schema: Schema, value: unknown, path: string): string | undefined {
  const left: { readonly of: Schema; readonly value: unknown; readonly path: string }[] = [
    { of: schema, value, path },
  ];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const { of, value: found, path: at } = one;
    const isRounded = Number.isInteger(found) && !Number.isSafeInteger(found);
    if (isRounded && Math.abs(Number(found)) <= most && of.type !== 'number')
      return `${at} is beyond ±${Number.MAX_SAFE_INTEGER}, so it may have been rounded; make it a string`;
    if (Array.isArray(found))
      for (const [index, item] of found.entries())
        left.push({ of: of.items ?? {}, value: item, path: `${at}[${index}]` });
    else if (isFields(found))
      for (const [name, inner] of Object.entries(found)) {
        const known = Object.hasOwn(of.properties ?? {}, name) ? of.properties?.[name] : undefined;
        left.push({
          of: known ?? of.additionalProperties ?? {},
          value: inner,
          path: `${at}.${name}`,
        });
      }
  }
  return undefined;
}
