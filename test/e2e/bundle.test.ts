import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleFunction, targets } from '../../infra/build/bundle.ts';
import { licencesOf } from '../../infra/build/licences.ts';
import { packageRoot as root } from '../../infra/package-root.ts';
import { configFile } from '../support/config.ts';
import { newDirectory } from '../support/directories.ts';

/** Lists the sources in the source map of a built file. */
const sourcesOf = (map: Uint8Array | undefined): readonly string[] =>
  JSON.parse(Buffer.from(map ?? []).toString()).sources;

const onlyForKubeconfigs = /node_modules\/(openid-client|oauth4webapi|yaml)\/|kube-context\.ts$/;

const headings = (text: string): readonly string[] =>
  text.split(`${'-'.repeat(80)}\n`).map((part) => part.trim().split('\n')[0] ?? '');

const headingAt = async (directory: string): Promise<string> => {
  const manifest = await readFile(join(root, directory, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest);
  return `${name} ${version}, ${license}`;
};

describe.each(targets)('the bundle of %s', (target) => {
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await bundleFunction(configFile, target);
  });

  it('has a separate file for reading kubeconfigs', () => {
    const apart = sourcesOf(bundle.files['kubeconfig.js.map']);
    expect(apart.filter((source) => onlyForKubeconfigs.test(source)).length).toBeGreaterThan(20);
    const always = sourcesOf(bundle.files['index.js.map']);
    expect(always.filter((source) => onlyForKubeconfigs.test(source))).toEqual([]);
    expect(always).toContain('shared/cluster/http/transport.ts');
  });

  it('has a separate file for SOCKS proxies', () => {
    const isSocks = (source: string): boolean => source.startsWith('node_modules/socks/');
    expect(sourcesOf(bundle.files['socks.js.map']).filter(isSocks)).not.toEqual([]);
    for (const name of ['index.js.map', 'recorder.js.map'])
      expect(sourcesOf(bundle.files[name]).filter(isSocks)).toEqual([]);
  });

  it('has a separate file for recording runs', () => {
    const isRecording = (source: string): boolean => source.startsWith('shared/recording/');
    const apart = sourcesOf(bundle.files['recorder.js.map']);
    expect(apart.filter(isRecording).length).toBeGreaterThan(5);
    expect(sourcesOf(bundle.files['index.js.map']).filter(isRecording)).toEqual([]);
  });

  it('has a separate file for OpenTelemetry', () => {
    const isTelemetry = (source: string): boolean =>
      source.includes('node_modules/@opentelemetry/');
    expect(sourcesOf(bundle.files['telemetry.js.map']).filter(isTelemetry)).not.toEqual([]);
    expect(sourcesOf(bundle.files['index.js.map']).filter(isTelemetry)).toEqual([]);
  });

  it('has a separate file for certificates', () => {
    const isEncoding = (source: string): boolean => source.includes('node_modules/@peculiar/');
    expect(sourcesOf(bundle.files['certificates.js.map']).filter(isEncoding)).not.toEqual([]);
    expect(sourcesOf(bundle.files['index.js.map']).filter(isEncoding)).toEqual([]);
  });

  // The inputs are those that esbuild reports, file by file.
  it('includes the licences of exactly its packages', async () => {
    const { inputs } = bundle;
    const text = await licencesOf(root, inputs);
    const directories = new Set<string>();
    for (const input of inputs.filter((file) => file.includes('node_modules/'))) {
      const at = input.lastIndexOf('node_modules/') + 'node_modules/'.length;
      const [name = '', scoped = ''] = input.slice(at).split('/');
      directories.add(input.slice(0, at) + (name.startsWith('@') ? `${name}/${scoped}` : name));
    }
    expect(directories.size).toBeGreaterThan(10);
    const expected = await Promise.all([...directories].sort().map(headingAt));
    expect(headings(text)).toEqual([await headingAt(''), ...expected]);
    expect(text).toContain((await readFile(join(root, 'LICENSE'), 'utf8')).trim());
    const yaml = await readFile(join(root, 'node_modules/yaml/LICENSE'), 'utf8');
    expect(text).toContain(yaml.trim());
    expect(await licencesOf(root, inputs.toReversed()), 'the order of the inputs').toBe(text);
  });

  it('checks the Node version before any other code runs', async () => {
    const directory = await newDirectory('bundle-');
    const code = join(directory, 'index.cjs');
    await writeFile(code, bundle.files['index.js']!);
    const older = join(directory, 'older.cjs');
    const versions = "{ ...process.versions, node: '20.20.2' }";
    await writeFile(
      older,
      `Object.defineProperty(process, 'versions', { value: ${versions} });
Object.defineProperty(process, 'version', { value: 'v20.20.2' });`,
    );
    const { status, stderr } = spawnSync(process.execPath, ['--require', older, code], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      'serverless-reconciler needs Node 24 or newer, and this is v20.20.2\n',
    ]);
  });
});
