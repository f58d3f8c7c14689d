import { globSync } from 'node:fs';

type Dependencies = Readonly<Record<string, string>>;

export interface SourceManifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Dependencies;
  readonly [field: string]: unknown;
}

/** The directory of compiled files in a package. */
export const compiled = 'lib';

const ownFields = [
  'private',
  'scripts',
  'workspaces',
  'main',
  'devDependencies',
  'optionalDependencies',
];

const isPublished = (source: string): boolean => !/^\.\/(test|control-plane)\//.test(source);

/** Maps entry points and commands to compiled files, and adds types. Omits fields that only this repository needs. */
export function publishedManifest(
  { exports, bin, ...rest }: SourceManifest,
  documents: readonly string[] = [],
) {
  const kept = Object.entries(rest).filter(([field]) => !ownFields.includes(field));
  return {
    ...Object.fromEntries(kept),
    // A configuration in TypeScript needs Node 22.18, and undici needs 22.19.
    engines: { node: '>=22.19.0' },
    files: [compiled, ...documents],
    exports: {
      ...Object.fromEntries(
        Object.entries(exports)
          .filter(([, source]) => isPublished(source))
          .map(([name, source]) => [
            name,
            { types: compiledName(source, '.d.ts'), default: compiledName(source, '.js') },
          ]),
      ),
      './package.json': './package.json',
    },
    ...(bin === undefined
      ? {}
      : {
          bin: Object.fromEntries(
            Object.entries(bin).map(([name, source]) => [name, compiledName(source, '.js')]),
          ),
        }),
  };
}

/** Bundles a package. Adds its dependencies, because package managers do not install them. */
export function withBundled<M extends object>(manifest: M, inside: SourceManifest) {
  const { dependencies = {} } = manifest as { readonly dependencies?: Dependencies };
  const all = Object.entries({ ...inside.dependencies, ...dependencies });
  return {
    ...manifest,
    dependencies: Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    bundleDependencies: [inside.name],
  };
}

/** The sources to compile; their imports are compiled with them. */
export const entryPoints = ({ exports, bin = {} }: SourceManifest): readonly string[] =>
  [...Object.values(exports), ...Object.values(bin)].filter(isPublished);

const compiledName = (source: string, extension: string): string =>
  `./${compiled}/${source.replace(/^\.\//, '').replace(/\.ts$/, extension)}`;

/** Omits tests. Omits state and .tfvars files, because these may contain addresses and credentials. */
export const terraformSources = (root: string): readonly string[] =>
  globSync(['terraform/*.tf', 'terraform/modules/*/*.tf', 'terraform/modules/*/kinds.json'], {
    cwd: root,
  }).toSorted();
