import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@cdktn/hcl2json';

export type Block = Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, readonly Block[]>>;

/** Declarations of all files of a directory, parsed by @cdktn/hcl2json: expressions are strings `${…}`. */
export interface Configuration {
  readonly resource: Readonly<Record<string, Named>>;
  readonly data: Readonly<Record<string, Named>>;
  readonly module: Named;
  readonly variable: Named;
  readonly output: Named;
  readonly locals: Block;
  readonly terraform: readonly Block[];
}

export const terraformDirectory = join(import.meta.dirname, '..', '..', 'terraform');

export const moduleNames = readdirSync(join(terraformDirectory, 'modules')).toSorted();

/** Parses every .tf file of a directory, by default of the root module; throws with the line of invalid HCL. */
export async function readConfiguration(directory = terraformDirectory): Promise<Configuration> {
  const merged = {
    resource: {} as Record<string, Named>,
    data: {} as Record<string, Named>,
    module: {},
    variable: {},
    output: {},
    locals: {},
    terraform: [] as Block[],
  };
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.tf'))) {
    const text = readFileSync(join(directory, file), 'utf8');
    const parsed = (await parse(file, text)) as Partial<Configuration> & { locals?: Block[] };
    for (const part of ['resource', 'data'] as const)
      for (const [type, named] of Object.entries(parsed[part] ?? {}))
        merged[part][type] = { ...merged[part][type], ...named };
    for (const part of ['module', 'variable', 'output'] as const)
      Object.assign(merged[part], parsed[part]);
    for (const locals of parsed.locals ?? []) Object.assign(merged.locals, locals);
    merged.terraform.push(...(parsed.terraform ?? []));
  }
  return merged;
}

/** Returns the only block of this type and name. */
export function resource({ resource: all }: Configuration, type: string, name: string): Block {
  const [block, ...more] = all[type]?.[name] ?? [];
  if (block === undefined || more.length > 0) throw new Error(`there is no one ${type}.${name}`);
  return block;
}

/** Maps `type.name` to the block of every resource whose type has this suffix. */
export const resourcesOf = (
  { resource: all }: Configuration,
  ending: string,
): ReadonlyMap<string, Block> =>
  new Map(
    Object.entries(all)
      .filter(([type]) => type.endsWith(ending))
      .flatMap(([type, named]) =>
        Object.entries(named).flatMap(([name, blocks]) =>
          blocks.map((block) => [`${type}.${name}`, block] as const),
        ),
      ),
  );

/** Returns a nested block that occurs exactly once. */
export function nested(block: Block, key: string): Block {
  const [first, ...more] = (block[key] ?? []) as readonly Block[];
  if (first === undefined || more.length > 0) throw new Error(`there is no one block ${key}`);
  return first;
}

/** Formats an expression that is the entire value of an attribute. */
export const value = (expression: string): string => `\${${expression}}`;
