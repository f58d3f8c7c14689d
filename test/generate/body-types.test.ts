import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bodyTypes } from '../../infra/generate/types/body-types.ts';

it('the body types are up to date with the client library: npm run generate:types', async () => {
  const file = join(import.meta.dirname, '../../shared/kinds/child-types/api-types.ts');
  expect(bodyTypes()).toBe(await readFile(file, 'utf8'));
});
