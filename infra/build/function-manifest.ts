import { type FunctionName, framework } from './bundle.ts';

interface Package {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package-lock.json with lockfileVersion 3. */
export interface PackageLock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Builds the package.json from which the buildpack takes dependencies and Node version. */
export function packageManifest(
  { name = 'reconciler', version = '0.0.0', license = 'UNLICENSED' }: Package,
  engine: { readonly dependencies: Readonly<Record<string, string>> },
  target: FunctionName,
) {
  const frameworkVersion = engine.dependencies[framework];
  if (frameworkVersion === undefined) throw new Error(`package.json has no ${framework}`);
  return {
    name: `${name}-${target}`,
    version,
    license,
    private: true,
    type: 'commonjs',
    main: 'index.js',
    engines: { node: '24' },
    dependencies: { [framework]: frameworkVersion },
  };
}

/** Reduces a lockfile to the dependencies of the manifest, so that exactly the tested versions are deployed. */
export function lockOf(
  lock: PackageLock,
  manifest: ReturnType<typeof packageManifest>,
): PackageLock & object {
  const kept = new Map<string, LockedPackage>();
  const keep = (from: string, names: object = {}): void => {
    for (const name of Object.keys(names)) {
      const path = resolve(lock, from, name);
      const found = lock.packages[path];
      if (found === undefined || kept.has(path)) continue;
      kept.set(path, found);
      keep(path, { ...found.dependencies, ...found.optionalDependencies });
    }
  };
  keep('', manifest.dependencies);
  const { name, version, license, engines, dependencies } = manifest;
  const root = { name, version, license, dependencies, engines };
  const packages = [...kept].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    name,
    version,
    lockfileVersion: lock.lockfileVersion,
    requires: true,
    packages: { '': root, ...Object.fromEntries(packages) },
  } as PackageLock & object;
}

/** Resolves a package as Node does: in the nearest `node_modules` above `from` that contains the package. */
function resolve(lock: PackageLock, from: string, name: string): string {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (path in lock.packages || at === '') return path;
  }
}
