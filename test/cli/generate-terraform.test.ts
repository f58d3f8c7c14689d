import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';
import type { Environment } from '../../shared/environment.ts';
import { newDirectory } from '../support/directories.ts';
import { readConfiguration, terraformDirectory, value } from '../terraform/configuration.ts';
import { type How, runAlone } from './command-runner.ts';

const cluster = '--project demo-project --location europe-west1 --cluster main'.split(' ');
const given: Environment = { CLUSTER_ENDPOINT: 'a.gke.goog', SETTLE_SECONDS: '' };

interface Where extends Pick<How, 'identity'> {
  readonly out?: string;
}

/** Creates a project, and a function that generates its Terraform files. */
async function project(env: Environment = given, { out = 'deploy/gcp', ...how }: Where = {}) {
  const root = await newDirectory('generate-terraform-');
  const directory = join(root, out);
  const run = () =>
    runAlone(['generate', 'terraform', ...cluster, '--out', directory], {
      ...how,
      env,
      home: root,
      configFile: join(root, 'reconciler.config.ts'),
    });
  const json = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'));
  return { root, directory, run, json };
}

const root = await readConfiguration();

describe('terraform', () => {
  it('calls the module with each of its variables, and exports its outputs', async () => {
    const { directory, run } = await project();
    expect(await run()).toMatchObject({ code: 0, err: '' });
    const { module, variable, output } = await readConfiguration(directory);
    const [{ source, ...passed } = {}] = module.reconciler ?? [];
    expect(resolve(directory, String(source))).toBe(terraformDirectory);
    expect(String(source)).toMatch(/^\.\.?\//);
    const own = { build_directory: '../../dist', kinds_file: 'kinds.json' };
    expect(passed).toEqual(
      Object.fromEntries(
        Object.keys(root.variable).map((name) => [
          name,
          value(
            name in own
              ? `coalesce(var.${name}, "\${path.module}/${own[name as keyof typeof own]}")`
              : `var.${name}`,
          ),
        ]),
      ),
    );
    expect(variable).toEqual(root.variable);
    expect(Object.entries(output).map(([name, [block]]) => [name, block?.value])).toEqual(
      Object.keys(root.output).map((name) => [name, value(`module.reconciler.${name}`)]),
    );
  });

  it('includes the sink conditions of every kind, and those of this installation as variables', async () => {
    const { run, json } = await project({
      ...given,
      KINDS: 'Foo',
      AUTH_URL: 'https://auth.example.com/check',
    });
    await run();
    const { kinds } = await json('kinds.json');
    expect({ kinds }).toEqual({
      kinds: JSON.parse(
        await readFile(join(terraformDirectory, 'modules', 'filter', 'kinds.json'), 'utf8'),
      ).kinds,
    });
    expect(await json('reconciler.auto.tfvars.json')).toEqual({
      project: 'demo-project',
      clusters: [{ name: 'main', location: 'europe-west1', endpoint: 'a.gke.goog' }],
      kinds: ['Foo'],
      environment: { AUTH_URL: 'https://auth.example.com/check' },
      settings: ['AUTH_URL'],
    });
  });

  it('names its resources after the reconciler', async () => {
    const { run, json } = await project(given, { identity: { name: 'team-a' } });
    await run();
    expect(await json('reconciler.auto.tfvars.json')).toMatchObject({ name: 'team-a' });
    const short = await project(given, { identity: { name: 'a' } });
    const { code, err } = await short.run();
    expect(code).toBe(2);
    expect(err).toMatch(
      /name: "a" in the configuration is not a name for the objects that Terraform creates: 6/,
    );
  });

  it('refers to the module in node_modules if there is one', async () => {
    const { root: home, directory, run } = await project();
    const installed = join(home, 'node_modules', 'serverless-reconciler', 'lib', 'terraform');
    await mkdir(installed, { recursive: true });
    await run();
    const { module } = await readConfiguration(directory);
    expect(module.reconciler?.[0]?.source).toBe(
      '../../node_modules/serverless-reconciler/lib/terraform',
    );
  });

  it('rewrites its own files, and no other', async () => {
    const { directory, run } = await project();
    await run();
    await writeFile(join(directory, 'backend.tf'), 'terraform {}\n');
    await writeFile(join(directory, 'main.tf'), 'changed');
    await run();
    expect(existsSync(join(directory, 'backend.tf'))).toBe(true);
    expect(await readFile(join(directory, 'main.tf'), 'utf8')).toContain('module "reconciler"');
  });

  const wrong = {
    'no directory': { argv: [], env: given, want: /give --out DIR/ },
    'the directory of the module, which it would overwrite,': {
      argv: ['--out', join(packageRoot, 'terraform')],
      env: given,
      want: /is the module itself; choose another directory/,
    },
    'no endpoint': { argv: ['--out', '/nonexistent'], env: {}, want: /CLUSTER_ENDPOINT: / },
  } as const;

  it.each(Object.entries(wrong))('%s exits with 2', async (_, { argv, env, want }) => {
    const { code, out, err } = await runAlone(['generate', 'terraform', ...cluster, ...argv], {
      env,
      home: tmpdir(),
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(want);
  });
});
