import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';
import {
  changesBetween,
  type LoadedKind,
  loadProject,
  type Project,
} from '../../infra/start/project.ts';

const kind = (name: string, digest: string): LoadedKind => ({
  ...{ group: 'example.org', version: 'v1', kind: name, plural: `${name.toLowerCase()}s` },
  ...{ owns: [], conditions: [], digest },
});
const project = (kinds: readonly LoadedKind[], definitions: Record<string, object>): Project => ({
  ...{ name: 'serverless-reconciler', problems: [], warnings: [] },
  ...{ kinds, settings: [], localEnvironment: {} },
  manifests: Object.entries(definitions).map(([path, manifest]) => ({ path, manifest })),
  audited: { kinds: [], ownIdentity: [] },
});

const before = project([kind('Cache', '1'), kind('Queue', '1')], {
  '/a': { x: 1 },
  '/b': { x: 1 },
});

const changes: Readonly<
  Record<string, { reason: string; now: Project; text: string; paths: string[]; kept: string[] }>
> = {
  Same: {
    reason: 'code that no sample reaches may be another',
    now: before,
    text: 'kinds/cache.ts, lib/x.ts changed',
    paths: [],
    kept: ['Cache', 'Queue'],
  },
  Changed: {
    reason: 'only what differs is applied, as the rest may have been edited in the cluster',
    now: project([kind('Cache', '2'), kind('Queue', '1')], { '/a': { x: 1 }, '/b': { x: 2 } }),
    text: 'Cache changed',
    paths: ['/b'],
    kept: ['Cache', 'Queue'],
  },
  AddedAndRemoved: {
    reason: 'a kind that was renamed is another one',
    now: project([kind('Cache', '1'), kind('Topic', '1')], { '/a': { x: 1 }, '/c': { x: 1 } }),
    text: 'Topic added; Queue removed, its definition and resources stay',
    paths: ['/c'],
    kept: ['Cache'],
  },
};

describe('what changes between two projects', () => {
  it.each(Object.entries(changes))('%s: $reason', (_, { now, text, paths, kept }) => {
    const found = changesBetween(before, now, ['kinds/cache.ts', 'lib/x.ts']);
    expect({ ...found, manifests: found.manifests.map(({ path }) => path) }).toEqual({
      ...{ text, kept, manifests: paths },
    });
  });
});

const index = pathToFileURL(join(packageRoot, 'index.ts')).href;
const nested = (levels: number): string =>
  levels === 0 ? `Type.Unsafe({ type: 'undefined' })` : `Type.Object({ a: ${nested(levels - 1)} })`;

const broken: Readonly<
  Record<string, { reason: string; files: Readonly<Record<string, string>>; want: RegExp }>
> = {
  JavaScript: {
    reason: 'Node shows the place only where its error is not caught',
    files: {
      'reconciler.config.js': "import './helper.js';\n",
      'helper.js': 'export const x = {\n  a: 1\n  b: 2,\n};\n',
    },
    want: /reconciler\.config\.js cannot be loaded: Unexpected identifier 'b' \(\S+helper\.js:3\)$/,
  },
  NestedSchema: {
    reason: 'the place counts however deep the schema is',
    files: {
      'reconciler.config.js': `import { defineKind, Type } from '${index}';\n\ndefineKind({
        group: 'example.org', version: 'v1', kind: 'Cache', plural: 'caches', owns: [],
        samples: [], spec: ${nested(20)}, children: () => [],
      });\n`,
    },
    want: /reconciler\.config\.js cannot be loaded: Cache: spec\.a.* \(\S+reconciler\.config\.js:3:1\)$/,
  },
  Exit: {
    reason: 'a module that ends the process says nothing',
    files: { 'reconciler.config.js': 'process.exit(0);\n' },
    want: /the process exited with 0 before it was; .* none may call process\.exit$/,
  },
  NotAConfiguration: {
    reason: 'the usual mistake',
    files: { 'reconciler.config.js': 'export default {};\n' },
    want: /exports by default something that defineConfig did not make; write: export default/,
  },
};

describe('a configuration that cannot be loaded', () => {
  it.each(Object.entries(broken))('%s: $reason', async (_, { files, want }) => {
    const directory = await mkdtemp(join(tmpdir(), 'project-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const all = { ...files, 'package.json': '{"type":"module"}' };
    for (const [name, text] of Object.entries(all)) await writeFile(join(directory, name), text);
    const config = join(directory, 'reconciler.config.js');
    const { result } = await loadProject(
      { config, user: 'user', samples: true },
      { PATH: process.env.PATH, CLUSTER_CONTEXT: 'any' },
    );
    expect(result).toEqual({ error: expect.stringMatching(want) });
  });
});
