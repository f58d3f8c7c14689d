import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundleFunction, targets } from '../../infra/build/bundle.ts';
import { licencesOf } from '../../infra/build/licences.ts';
import { packageRoot as root } from '../../infra/package-root.ts';
import { configFile } from '../support/config.ts';

const headings = (text: string): readonly string[] =>
  text.split(`${'-'.repeat(80)}\n`).map((part) => part.trim().split('\n')[0] ?? '');

const headingAt = async (directory: string): Promise<string> => {
  const manifest = await readFile(join(root, directory, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest);
  return `${name} ${version}, ${license}`;
};

/** By esbuild's word on what is in a bundle, file by file. */
it.each(targets)(
  '%s: every package in the bundle is named with its terms, and no other',
  async (target) => {
    const { inputs } = await bundleFunction(configFile, target);
    const text = await licencesOf(root, inputs);
    const directories = new Set<string>();
    for (const input of inputs.filter((file) => file.includes('node_modules/'))) {
      const at = input.lastIndexOf('node_modules/') + 'node_modules/'.length;
      const [name = '', scoped = ''] = input.slice(at).split('/');
      directories.add(input.slice(0, at) + (name.startsWith('@') ? `${name}/${scoped}` : name));
    }
    expect(directories.size).toBeGreaterThan(20);
    const wanted = await Promise.all([...directories].sort().map(headingAt));
    expect(headings(text)).toEqual([await headingAt(''), ...wanted]);
    expect(text).toContain((await readFile(join(root, 'LICENSE'), 'utf8')).trim());
    const undici = await readFile(join(root, 'node_modules/undici/LICENSE'), 'utf8');
    expect(text).toContain(undici.trim());
    expect(await licencesOf(root, inputs.toReversed()), 'the order of the inputs').toBe(text);
  },
);

it('a package without a licence cannot be bundled', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'licences-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  await mkdir(join(elsewhere, 'node_modules', 'x'), { recursive: true });
  const write = (path: string, value: object) =>
    writeFile(join(elsewhere, path, 'package.json'), JSON.stringify(value));
  await write('', { name: 'ours', version: '1.0.0', license: 'MIT' });
  await write('node_modules/x', { name: 'x', version: '1.0.0' });
  await expect(licencesOf(elsewhere, ['node_modules/x/index.js'])).rejects.toThrow(
    'node_modules/x: the package names no licence',
  );
});
