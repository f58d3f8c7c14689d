import { expect, it } from 'vitest';
import { bundleFunction, targets } from '../../infra/build/bundle.ts';
import { configFile } from '../support/config.ts';

/** What the source map of a built file says it was made of. */
const sourcesOf = (map: Uint8Array | undefined): readonly string[] =>
  JSON.parse(Buffer.from(map ?? []).toString()).sources;

const onlyForKubeconfigs = /node_modules\/(@kubernetes|undici|js-yaml|ws)\/|kube-context\.ts$/;

it.each(targets)('%s: what reads a kubeconfig is in a file of its own', async (target) => {
  const { files } = await bundleFunction(configFile, target);
  const apart = sourcesOf(files['kubeconfig.js.map']);
  expect(apart.filter((source) => onlyForKubeconfigs.test(source)).length).toBeGreaterThan(20);
  const always = sourcesOf(files['index.js.map']);
  expect(always.filter((source) => onlyForKubeconfigs.test(source))).toEqual([]);
  expect(always).toContain('shared/cluster/transport.ts');
});
