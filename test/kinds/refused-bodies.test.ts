import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Compiles files, each with one more line, and gives the output of the compiler. */
async function complaintsAbout(linesOf: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'refused-bodies-'));
  const kinds = join(root, 'shared/kinds');
  const sources = Object.entries(linesOf).map(([name, line]) => [
    name,
    `import { deployment } from '${kinds}/child-types/apps.ts';
import { child } from '${kinds}/child.ts';
const selector = {};
const template = {};
${line}
`,
  ]);
  const files = {
    ...(Object.fromEntries(sources) as Readonly<Record<string, string>>),
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: Object.keys(linesOf),
    }),
  };
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    return await new Promise((resolve) => {
      execFile(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], (_, output) =>
        resolve(output),
      );
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('the compiler names the field that was meant, and accepts that field', {
  timeout: 60_000,
}, async () => {
  const lineWith = (field: string): string =>
    `child(deployment, { name: 'shop', body: { spec: { ${field}: 1, selector, template } } });`;
  const complaints = await complaintsAbout({
    'meant.ts': lineWith('replicas'),
    'written.ts': lineWith('replica'),
  });
  expect(complaints).toMatch(
    /^\S+written\.ts\(5,.*'replica' does not exist in type 'DeploymentSpec'. Did you mean to write 'replicas'\?\n$/,
  );
});
