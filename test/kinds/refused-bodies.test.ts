import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** What the compiler says about a kind's only line. */
async function complaintAbout(line: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'refused-bodies-'));
  const kinds = join(root, 'shared/kinds');
  const files = {
    'kind.ts': `import { deployment } from '${kinds}/child-types/apps.ts';
import { child } from '${kinds}/define-kind.ts';
const selector = {};
const template = {};
${line}
`,
    'package.json': '{ "type": "module" }',
    'tsconfig.json': JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: ['kind.ts'],
    }),
  };
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    return await new Promise((resolve) => {
      execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], (_, output) =>
        resolve(output),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the compiler', () => {
  it('names the field that was meant', { timeout: 60_000 }, async () => {
    const line = `child(deployment, { name: 'shop', body: { spec: { replica: 1, selector, template } } });`;
    expect(await complaintAbout(line)).toMatch(
      /'replica' does not exist in type 'DeploymentSpec'. Did you mean to write 'replicas'\?\n$/,
    );
  });

  it('accepts the field itself', { timeout: 60_000 }, async () => {
    const line = `child(deployment, { name: 'shop', body: { spec: { replicas: 1, selector, template } } });`;
    expect(await complaintAbout(line)).toBe('');
  });
});
