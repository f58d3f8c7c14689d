import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../infra/make-directory.ts';
import { newDirectory } from './support/directories.ts';

test('makeDirectory returns the first directory that it created', async () => {
  const parent = await newDirectory('make-');
  expect(makeDirectory(join(parent, 'a', 'b'))).toBe(join(parent, 'a'));
  expect(makeDirectory(join(parent, 'a', 'b'))).toBeUndefined();
  expect(makeDirectory(join(parent, 'a', 'c'))).toBe(join(parent, 'a', 'c'));
  expect(readdirSync(join(parent, 'a'))).toEqual(['b', 'c']);
});

test.each([
  ['below a file', 'file/x', /ENOTDIR/],
  ['at a dangling symlink', 'dangling', /EEXIST/],
  ['with a name of 300 characters', 'a'.repeat(300), /ENAMETOOLONG/],
])('makeDirectory throws %s', async (_, path, error) => {
  const parent = await newDirectory('make-');
  writeFileSync(join(parent, 'file'), '');
  symlinkSync('nowhere', join(parent, 'dangling'));
  expect(() => makeDirectory(join(parent, path))).toThrow(error);
});

// In /proc, mkdir fails with ENOENT although the parent exists.
test.runIf(process.platform === 'linux')('makeDirectory ends in /proc', () => {
  expect(() => makeDirectory('/proc/x/y')).toThrow(/ENOENT/);
});
