import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writePrivateFile } from '../infra/private-file.ts';

function place(): { readonly directory: string; readonly file: string } {
  const directory = mkdtempSync(join(tmpdir(), 'private-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return { directory, file: join(directory, 'file') };
}

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

it('a private file is readable by its owner only, and leaves no temporary file', () => {
  const { directory, file } = place();
  writePrivateFile(file, 'new');
  expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['new', '600']);
  expect(readdirSync(directory)).toEqual(['file']);
});

it('a private file replaces a world-readable one, so that open handles do not see the new content', () => {
  const { directory, file } = place();
  writeFileSync(file, 'old');
  chmodSync(file, 0o644);
  const kept = join(directory, 'kept');
  linkSync(file, kept);
  writePrivateFile(file, 'new');
  expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['new', '600']);
  expect(readFileSync(kept, 'utf8'), 'the old file is replaced, not written into').toBe('old');
});

it('a private file is written to the target of a symbolic link', () => {
  const { directory, file } = place();
  const target = join(directory, 'target');
  writeFileSync(target, 'old');
  symlinkSync(target, file);
  writePrivateFile(file, 'new');
  expect(readFileSync(target, 'utf8')).toBe('new');
  expect(modeOf(target)).toBe('600');
});

it('a private file does not replace a device, as with --out /dev/null as root', () => {
  writePrivateFile('/dev/null', 'gone');
  expect(statSync('/dev/null').isFile()).toBe(false);
});

it('a private file leaves no temporary file after a failure', () => {
  const { directory, file } = place();
  const below = join(file, 'below');
  expect(() => writePrivateFile(below, 'x')).toThrow(
    `ENOENT: no such file or directory, open '${below}'`,
  );
  expect(readdirSync(directory)).toEqual([]);
});
