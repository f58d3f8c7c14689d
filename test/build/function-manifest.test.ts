import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockOf, type PackageLock, packageManifest } from '../../infra/build/function-manifest.ts';
import { packageRoot as root } from '../../infra/package-root.ts';
import { casesOf } from '../support/cases.ts';

const framework = '@google-cloud/functions-framework';
const ours = {
  name: 'reconciler',
  version: '1.2.3',
  license: 'Apache-2.0',
  dependencies: { [framework]: '5.0.5', undici: '8.0.0' },
};

describe('the package.json of a deployed function', () => {
  it('requires only the framework in our version, and Node 24', () => {
    expect(packageManifest(ours, ours, 'audit')).toEqual({
      name: 'reconciler-audit',
      version: '1.2.3',
      license: 'Apache-2.0',
      private: true,
      type: 'commonjs',
      main: 'index.js',
      engines: { node: '24' },
      dependencies: { [framework]: '5.0.5' },
    });
  });

  it('throws if the framework is not a dependency', () => {
    expect(() => packageManifest(ours, { dependencies: {} }, 'audit')).toThrow(framework);
  });
});

interface Case {
  readonly reason: string;
  /** Packages apart from the root, by path, with the names that they depend on. */
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly want: readonly string[];
}

const own = `node_modules/${framework}`;
const cases: Record<string, Case> = {
  Others: {
    reason: 'packages that the framework does not need are omitted',
    given: { [own]: ['express'], 'node_modules/express': [], 'node_modules/vitest': [] },
    want: [own, 'node_modules/express'],
  },
  Nested: {
    reason: 'Node resolves the nearest of two versions',
    given: {
      [own]: ['express', 'debug'],
      'node_modules/debug': [],
      'node_modules/express': ['debug', 'send'],
      'node_modules/express/node_modules/debug': ['ms'],
      'node_modules/ms': [],
      'node_modules/send': ['debug'],
    },
    want: [
      own,
      'node_modules/debug',
      'node_modules/express',
      'node_modules/express/node_modules/debug',
      'node_modules/ms',
      'node_modules/send',
    ],
  },
  Round: {
    reason: 'packages may depend on each other in a cycle',
    given: { [own]: ['a'], 'node_modules/a': ['b'], 'node_modules/b': ['a'] },
    want: [own, 'node_modules/a', 'node_modules/b'],
  },
  OtherPlatform: {
    reason: 'an optional dependency may be absent',
    given: { [own]: ['fsevents'] },
    want: [own],
  },
};

const lockWith = (given: Case['given']): PackageLock => ({
  lockfileVersion: 3,
  packages: Object.fromEntries(
    Object.entries(given).map(([path, names]) => [
      path,
      { dependencies: Object.fromEntries(names.map((name) => [name, '*'])) },
    ]),
  ),
});

describe('the lockfile of a deployed function', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    const { packages } = lockOf(lockWith(given), packageManifest(ours, ours, 'resync'));
    const { '': itself, ...others } = packages;
    expect(Object.keys(others)).toEqual(want);
    expect(itself).toMatchObject({ dependencies: { [framework]: '5.0.5' } });
  });

  it('keeps our own entries unchanged, without development dependencies', async () => {
    const read = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'));
    const lock = await read('package-lock.json');
    const { packages } = lockOf(
      lock,
      packageManifest(await read('package.json'), await read('package.json'), 'resync'),
    );
    const { '': _, ...others } = packages;
    expect(Object.keys(others).length).toBeGreaterThan(50);
    for (const [path, entry] of Object.entries(others)) {
      expect(entry).toBe(lock.packages[path]);
      expect(entry).not.toHaveProperty('dev');
    }
  });
});
