import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@serverless-reconciler/local-cluster/client';
import type { ControlPlane } from '@serverless-reconciler/local-cluster/control-plane';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { applyManifest } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { reconciler } from '../scenarios/test-cluster.ts';
import { freePort } from '../support/processes.ts';

// Drop the user agent of the npm that started the tests, which may run on another Node: npm would pass it on.
const { npm_config_user_agent: _, ...inherited } = process.env;

/** Environment in which npm, and the commands it starts, use the Node that runs the tests. */
export const env = {
  ...inherited,
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
};

const execute = promisify(execFile);

/** Runs a command; resolves with its output, or rejects with everything that it printed. */
export const run = (cwd: string, command: string, ...args: readonly string[]): Promise<string> =>
  execute(command, args, { cwd, env, maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    (failure: Error & { stdout: string }) => {
      failure.message = `${failure.message}\n${failure.stdout}`;
      throw failure;
    },
  );

/** Runs the command of the package that a project has installed. */
export const reconcilerCommand = (project: string, ...args: readonly string[]): Promise<string> =>
  run(project, join('node_modules', '.bin', 'reconciler'), ...args);

/** Returns the file of the command, behind the shell script that some package managers add. */
export async function commandFile(project: string): Promise<string> {
  const directory = join(project, 'node_modules', 'serverless-reconciler');
  const { bin } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  return join(directory, bin.reconciler);
}

interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const plurals: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'customresourcedefinitions',
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
};

const pathOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  `/apis/${apiVersion}/${plurals[kind]}/${metadata.name}`;

/** Installs the CRDs and permissions that a project generates. */
export async function installKinds(project: string, client: Client): Promise<void> {
  const generate = ['generate', 'rbac', '--user', reconciler, '-o', 'json'];
  const lists = await Promise.all([
    reconcilerCommand(project, 'generate', 'crds', '-o', 'json'),
    reconcilerCommand(project, ...generate),
  ]);
  for (const manifest of lists.flatMap((list) => JSON.parse(list).items as readonly Manifest[]))
    await applyManifest(client, pathOf(manifest), manifest);
}

export interface Served {
  /** Sends a resync as the schedule does; resolves with its report. */
  readonly resync: () => Promise<JsonObject>;
  readonly stop: () => Promise<void>;
}

/** Builds the functions of a project and serves the scheduled one for a real control plane. */
export async function serveBuilt(project: string, plane: ControlPlane): Promise<Served> {
  await reconcilerCommand(project, 'build');
  const directory = join(project, 'dist', 'resync');
  await run(directory, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline');
  const port = await freePort();
  const served = spawn(
    join('node_modules', '.bin', 'functions-framework'),
    ['--target', 'resync', '--port', String(port)],
    {
      cwd: directory,
      env: { ...env, KUBECONFIG: plane.kubeconfig, CLUSTER_CONTEXT: 'reconciler' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const url = `http://127.0.0.1:${port}/`;
  await eventually(() => fetch(url));
  return {
    async resync() {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: '{}' });
      const report = (await response.json()) as JsonObject;
      if (response.status !== 200)
        throw new Error(`returned ${response.status}: ${JSON.stringify(report)}`);
      return report;
    },
    stop: () => ended(served),
  };
}

/** Stops a process and waits for its end. */
export const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    if (child.exitCode !== null || !child.kill('SIGTERM')) resolve();
  });
