import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';

/** Bundles code that uses one type. */
async function bundleOf(type: string): Promise<string> {
  const contents = `import { ${type} } from './types/index.ts'; console.log(${type});`;
  const stdin = { contents, resolveDir: packageRoot };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false });
  return outputFiles[0]?.text ?? '';
}

it('a bundle contains only the schemas of types that are used', async () => {
  expect(await bundleOf('ResourceRequirements')).not.toContain('hostAliases');
  expect(await bundleOf('PodTemplateSpec')).toContain('hostAliases');
});
