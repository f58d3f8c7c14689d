import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { typeSchemas } from '../../infra/generate/types/type-schemas.ts';

it('the schemas of types are up to date with the published OpenAPI: npm run generate:types', async () => {
  const file = join(import.meta.dirname, '../../types/kubernetes.ts');
  expect(typeSchemas()).toBe(await readFile(file, 'utf8'));
});
