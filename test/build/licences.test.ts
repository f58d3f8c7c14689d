import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { licencesOf } from '../../infra/build/licences.ts';
import { newDirectory } from '../support/directories.ts';

it('a package without a licence cannot be bundled', async () => {
  const elsewhere = await newDirectory('licences-');
  await mkdir(join(elsewhere, 'node_modules', 'x'), { recursive: true });
  const write = (path: string, value: object) =>
    writeFile(join(elsewhere, path, 'package.json'), JSON.stringify(value));
  await write('', { name: 'ours', version: '1.0.0', license: 'MIT' });
  await write('node_modules/x', { name: 'x', version: '1.0.0' });
  await expect(licencesOf(elsewhere, ['node_modules/x/index.js'])).rejects.toThrow(
    'node_modules/x: the package names no licence',
  );
});
