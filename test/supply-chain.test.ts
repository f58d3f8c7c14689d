import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..');
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  /** Set for the symbolic link of a workspace. */
  readonly link?: boolean;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(await read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const manifest = JSON.parse(await read('package.json')) as Manifest;
const cluster = JSON.parse(await read('infra/local/package.json')) as Manifest & { name: string };
// Skip this package, its workspace and the link to that: none of them is downloaded.
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
);
const pathsWhere = (is: (one: Locked) => boolean): readonly string[] =>
  installed.filter(([, one]) => is(one)).map(([path]) => path);

describe('every package that npm ci installs', () => {
  it('has a checksum, on every platform', () => {
    expect(installed.length).toBeGreaterThan(200);
    expect(
      pathsWhere(({ integrity = '' }) => !/^sha512-[\w+/]{86}==$/.test(integrity)),
      'install it from a registry that has the package, or take a version that all platforms have',
    ).toEqual([]);
  });

  it('comes from the configured registry, not from git or a URL', () => {
    expect(pathsWhere(({ resolved }) => resolved !== undefined)).toEqual([]);
    for (const [name, version] of Object.entries(everyDependency()))
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('is not deprecated', () => {
    expect(pathsWhere(({ deprecated }) => deprecated !== undefined)).toEqual([]);
  });

  it('runs no install script; only esbuild has one, and does not need it', async () => {
    expect(pathsWhere(({ hasInstallScript }) => hasInstallScript === true)).toEqual([
      'node_modules/esbuild',
    ]);
    expect((await read('.npmrc')).split('\n')).toContain('ignore-scripts=true');
    for (const { scripts } of [manifest, cluster])
      expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([]);
  });
});

describe('Node', () => {
  const platforms = [
    { os: 'darwin', cpu: 'arm64' },
    { os: 'darwin', cpu: 'x64' },
    { os: 'linux', cpu: 'arm64' },
    { os: 'linux', cpu: 'x64' },
    { os: 'win32', cpu: 'x64' },
  ];

  it.each(platforms)('is installed by npm ci on $os $cpu as the command node', ({ os, cpu }) => {
    const found = Object.keys(manifest.optionalDependencies).filter((name) => {
      const locked = packages[`node_modules/${name}`];
      return locked?.os?.includes(os) && locked.cpu?.includes(cpu);
    });
    expect(found).toHaveLength(1);
    const { version, bin } = packages[`node_modules/${found[0]}`] as Locked;
    expect(version).toMatch(os === 'darwin' ? /^26\./ : /^24\./);
    expect(bin).toEqual({ node: os === 'win32' ? 'bin/node.exe' : 'bin/node' });
  });

  it.runIf(platforms.some(({ os, cpu }) => os === process.platform && cpu === process.arch))(
    'is found by the scripts of package.json',
    async () => {
      const file = join(root, 'node_modules', '.bin', 'node');
      const { stdout } = await promisify(execFile)(file, ['--version'], {
        shell: process.platform === 'win32',
      });
      const name = Object.keys(manifest.optionalDependencies).find((one) => {
        const { os, cpu } = packages[`node_modules/${one}`] as Locked;
        return os?.includes(process.platform) && cpu?.includes(process.arch);
      });
      expect(stdout.trim()).toBe(`v${manifest.optionalDependencies[name ?? '']}`);
    },
  );
});

describe('our workflows', () => {
  interface Workflow {
    readonly permissions: object;
    readonly jobs: Readonly<
      Record<string, { readonly permissions?: object; readonly steps: readonly Step[] }>
    >;
  }
  interface Step {
    readonly uses?: string;
    readonly run?: string;
  }

  it.each(['test', 'release'])(
    '%s grants permissions by job, and runs scripts that exist',
    async (name) => {
      const { permissions, jobs } = parse(await read(`.github/workflows/${name}.yaml`)) as Workflow;
      expect(permissions).toEqual({});
      for (const { permissions, steps } of Object.values(jobs)) {
        expect(permissions).toMatchObject({ contents: 'read' });
        for (const { uses, run = '' } of steps) {
          if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
          for (const [, script = ''] of run.matchAll(/npm run (?:-s )?([\w:]+)/g))
            expect(manifest.scripts).toHaveProperty([script]);
        }
      }
    },
  );
});

it('docs/decisions/tools.md justifies every dependency, and no other', async () => {
  const [, section = ''] = (await read('docs/decisions/tools.md')).split('\n## Dependencies\n');
  const rows = section.split('\n').filter((line) => /^\| `/.test(line));
  const listed = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)]);
  const tools = ['@biomejs/biome', '@types/node', 'fast-check', 'typescript', 'vitest'];
  const platformless = (name: string): string => name.replace(/^node-.*$/, 'node-*');
  const used = new Set(Object.keys(everyDependency()).map(platformless));
  expect(listed.map(([, name]) => name).sort()).toEqual(
    [...used].filter((name) => !tools.includes(name) && name !== cluster.name).sort(),
  );
});

function everyDependency(): Readonly<Record<string, string>> {
  return {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...cluster.dependencies,
    ...cluster.devDependencies,
    ...manifest.optionalDependencies,
  };
}
