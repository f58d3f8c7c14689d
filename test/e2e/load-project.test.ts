import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';
import { loadProject } from '../../infra/start/reload/project.ts';
import { newDirectory } from '../support/directories.ts';

const index = pathToFileURL(join(packageRoot, 'index.ts')).href;
const nested = (levels: number): string =>
  levels === 0 ? `Type.Unsafe({ type: 'undefined' })` : `Type.Object({ a: ${nested(levels - 1)} })`;

const broken: Readonly<
  Record<string, { reason: string; files: Readonly<Record<string, string>>; want: RegExp }>
> = {
  JavaScript: {
    reason: 'Node shows the location only of an uncaught error',
    files: {
      'reconciler.config.js': "import './helper.js';\n",
      'helper.js': 'export const x = {\n  a: 1\n  b: 2,\n};\n',
    },
    want: /reconciler\.config\.js cannot be loaded: Unexpected identifier 'b' \(\S+helper\.js:3\)$/,
  },
  NestedSchema: {
    reason: 'the location is found even in a deep schema',
    files: {
      'reconciler.config.js': `import { defineKind, Type } from '${index}';\n\ndefineKind({
        group: 'example.org', version: 'v1', kind: 'Cache', plural: 'caches', owns: [],
        samples: [], spec: ${nested(20)}, children: () => [],
      });\n`,
    },
    want: /reconciler\.config\.js cannot be loaded: Cache: spec\.a.* \(\S+reconciler\.config\.js:3:1\)$/,
  },
  Exit: {
    reason: 'a module that ends the process reports nothing itself',
    files: { 'reconciler.config.js': 'process.exit(0);\n' },
    want: /the process exited with 0 while it loaded the file; .* no module calls process\.exit$/,
  },
  Killed: {
    reason: 'the system may kill the process, as when memory is short',
    files: { 'reconciler.config.js': "process.kill(process.pid, 'SIGKILL');\n" },
    want: /cannot be loaded: the process was killed by SIGKILL while it loaded the file; /,
  },
  NotAConfiguration: {
    reason: 'the module may export something else',
    files: { 'reconciler.config.js': 'export default {};\n' },
    want: /has a default export that defineConfig did not make; write: export default/,
  },
};

describe('a configuration that cannot be loaded', () => {
  it.each(Object.entries(broken))('%s: $reason', async (_, { files, want }) => {
    const directory = await newDirectory('project-');
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
