import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StartError } from '../../infra/start/functions/start-error.ts';
import {
  removeKubeconfig,
  sharedVariables,
  writeKubeconfig,
} from '../../infra/start/local-kubeconfig.ts';
import { recordedVariables } from '../../shared/recording/recording.ts';
import { newDirectory } from '../support/directories.ts';

const place = (): Promise<string> => newDirectory('start-');

it('only the owner can read the kubeconfig, even if it replaces another one', async () => {
  const file = join(await place(), '.local', 'kubeconfig');
  writeKubeconfig(file, 'one');
  await writeFile(file, 'old', { mode: 0o644 });
  writeKubeconfig(file, 'two');
  expect(await readFile(file, 'utf8')).toBe('two');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('a directory that cannot be written to causes a message without a stack trace', async () => {
  const directory = await place();
  await writeFile(join(directory, '.local'), '');
  const write = () => writeKubeconfig(join(directory, '.local', 'kubeconfig'), 'x');
  expect(write).toThrow(StartError);
  expect(write).toThrow(
    /kubeconfig cannot be written: E\w+.*; start from a copy .* or .*--context NAME/,
  );
});

it('the kubeconfig is removed at the end, unless another npm start has replaced it', async () => {
  const file = join(await place(), 'kubeconfig');
  await writeFile(file, 'token: theirs');
  removeKubeconfig(file, 'ours');
  expect(await readFile(file, 'utf8')).toBe('token: theirs');
  removeKubeconfig(file, 'theirs');
  await expect(readFile(file)).rejects.toThrow('ENOENT');
  removeKubeconfig(file, 'theirs');
});

it('the contexts have every variable that affects decisions', () => {
  expect(sharedVariables).toEqual(expect.arrayContaining([...recordedVariables([])]));
});
