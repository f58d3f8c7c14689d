import { execFileSync, spawnSync } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishedManifest, terraformSources } from '../../infra/package/published-manifest.ts';
import { packageRoot } from '../../infra/package-root.ts';
import { newDirectory } from '../support/directories.ts';
import { readConfiguration, terraformDirectory } from '../terraform/configuration.ts';

describe('the published files of the Terraform modules', () => {
  it('are all tracked files, except tests and documents', () => {
    const tracked = execFileSync('git', ['ls-files', 'terraform'], {
      cwd: packageRoot,
      encoding: 'utf8',
    });
    const expected = tracked
      .trim()
      .split('\n')
      .filter((path) => /\.tf$|\/kinds\.json$/.test(path));
    expect(terraformSources(packageRoot)).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(15);
  });

  it('include every module that the root module calls', async () => {
    const { module } = await readConfiguration();
    const published = terraformSources(packageRoot);
    for (const [name, [block]] of Object.entries(module)) {
      const directory = `terraform/${String(block?.source).replace('./', '')}/`;
      expect(published.filter((path) => path.startsWith(directory)).length, name).toBeGreaterThan(
        1,
      );
    }
  });

  it('exclude files of an installation, such as state and variables', async () => {
    const root = await newDirectory('package-');
    await cp(terraformDirectory, join(root, 'terraform'), { recursive: true });
    for (const file of [
      'terraform.tfstate',
      'reconciler.auto.tfvars.json',
      'my.tfvars',
      '.terraform.lock.hcl',
      'modules/filter/kinds.auto.tfvars.json',
    ])
      await writeFile(join(root, 'terraform', file), 'secret');
    expect(terraformSources(root)).toEqual(terraformSources(packageRoot));
  });
});

describe('the command', () => {
  const { engines } = publishedManifest({ name: 'x', version: '0.0.0', exports: {} });
  const oldest = engines.node.replace('>=', '');
  const runAs = (version: string) => {
    const versions = `{ value: { ...process.versions, node: '${version}' } }`;
    const disguise = `Object.defineProperty(process, 'versions', ${versions})`;
    const main = join(packageRoot, 'infra/cli/main.ts');
    const argv = ['--import', `data:text/javascript,${disguise}`, main, '--version'];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    return { status, stderr };
  };

  it.each(['20.20.2', '22.9.0'])(
    'names the Node version that it needs when run by Node %s',
    (version) => {
      const stderr = `serverless-reconciler needs Node ${oldest} or newer, and this is ${version}\n`;
      expect(runAs(version)).toEqual({ status: 1, stderr });
    },
  );

  it('runs on the oldest Node version that the package allows', () => {
    expect(runAs(oldest)).toEqual({ status: 0, stderr: '' });
  });
});
