import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chooseRelease } from '../control-plane/release.ts';

test('the default is the release that the local cluster imitates', async () => {
  const schemas = new URL('../api-server/generated/schemas.json', import.meta.url);
  const { version } = JSON.parse(await readFile(schemas, 'utf8')) as { readonly version: string };
  expect(chooseRelease().version).toBe(version);
});

test('another minor is chosen by its name, and an empty variable chooses none', () => {
  expect(chooseRelease('1.34').version).toMatch(/^v1\.34\.\d+$/);
  expect(chooseRelease('')).toEqual(chooseRelease());
});

test.each(['1.2', '1.34.4', 'v1.34', '../versions/1.34'])('%s is refused', (wanted) => {
  expect(() => chooseRelease(wanted)).toThrow(/^KUBERNETES_VERSION=\S+: pinned are .*1\.34, .*; /);
});
