import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { licencesOf } from '../../infra/build/licences.ts';

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
