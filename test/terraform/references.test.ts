import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Block,
  type Configuration,
  moduleNames,
  readConfiguration,
  terraformDirectory,
} from './configuration.ts';

const root = await readConfiguration();
const modules = new Map<string, Configuration>();
for (const name of moduleNames)
  modules.set(name, await readConfiguration(join(terraformDirectory, 'modules', name)));

/** `terraform validate` would find wrong references, but needs to download the provider. */
describe('references in Terraform', () => {
  const places = [['the root', root] as const, ...modules];

  it.each(places)(
    'in %s: all variables, locals, resources and modules exist',
    (_, configuration) => {
      expect(danglingIn(configuration)).toEqual([]);
    },
  );

  it.each(places)('in %s: every variable and local is used', (_, configuration) => {
    const text = JSON.stringify(configuration);
    const unused = [
      ...Object.keys(configuration.variable).map((name) => `var.${name}`),
      ...Object.keys(configuration.locals).map((name) => `local.${name}`),
    ].filter((name) => !new RegExp(`\\b${name.replace('.', '\\.')}\\b`).test(text));
    expect(unused).toEqual([]);
  });

  it('in calls of modules: all required variables are given, and no unknown ones', () => {
    for (const [name, blocks] of Object.entries(root.module)) {
      const { source, for_each: _, ...given } = blocks[0] as Block;
      const { variable } = modules.get(String(source).replace('./modules/', ''))!;
      const needed = Object.entries(variable).filter(([, [block]]) => !('default' in block!));
      expect(Object.keys(variable), name).toEqual(expect.arrayContaining(Object.keys(given)));
      expect(Object.keys(given), name).toEqual(
        expect.arrayContaining(needed.map(([variableName]) => variableName)),
      );
    }
  });

  it('in the root: a variable that is passed on has the type and default of the module', () => {
    const [{ source: _, ...given }] = root.module.settings as readonly [Block];
    const settings = modules.get('settings')!;
    for (const name of Object.keys(given)) {
      const facts = ({ type, default: value }: Block) => ({ type, value });
      expect(facts(root.variable[name]![0]!), name).toEqual(facts(settings.variable[name]![0]!));
    }
  });
});

function danglingIn(configuration: Configuration): readonly string[] {
  const text = JSON.stringify(configuration).replaceAll('\\"', '"');
  const dangling: string[] = [];
  const demand = (pattern: RegExp, isThere: (...names: string[]) => boolean): void => {
    for (const [whole, ...names] of text.matchAll(pattern))
      if (!isThere(...names)) dangling.push(whole);
  };
  demand(/\bvar\.(\w+)/g, (name) => name in configuration.variable);
  demand(/\blocal\.(\w+)/g, (name) => name in configuration.locals);
  demand(/\bdata\.(\w+)\.(\w+)/g, (type, name) => name in (configuration.data[type] ?? {}));
  demand(
    /(?<![.\w/])(google_\w+)\.(\w+)/g,
    (type, name) => name in (configuration.resource[type] ?? configuration.data[type] ?? {}),
  );
  demand(/\bmodule\.(\w+)(?:\[[^\]]*\]|\)\[\*\])?\.(\w+)/g, (name, output) => {
    const source = String(configuration.module[name]?.[0]?.source).replace('./modules/', '');
    return output in (modules.get(source)?.output ?? {});
  });
  return [...new Set(dangling)];
}
