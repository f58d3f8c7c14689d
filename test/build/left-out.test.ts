import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { withoutUnusedChecks } from '../../infra/build/bundle.ts';
import { specVerdicts } from './spec-verdicts.ts';

test('a bundle checks a spec by any schema that a kind may have as the sources do', async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'spec-verdicts.ts')],
    plugins: [withoutUnusedChecks],
    ...{ bundle: true, format: 'cjs', platform: 'node', write: false },
  });
  const code = outputFiles[0]?.text ?? '';
  expect(code).toContain('uniqueItems is left out of bundles, as kinds may not use it');
  const bundled: { exports?: { specVerdicts: typeof specVerdicts } } = {};
  new Function('module', 'require', code)(bundled, createRequire(import.meta.url));
  const verdicts = specVerdicts();
  expect(bundled.exports?.specVerdicts()).toEqual(verdicts);
  expect(verdicts.filter((verdict) => verdict.endsWith(': ')).length).toBeGreaterThan(100);
});
