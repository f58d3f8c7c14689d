import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { FunctionName } from '../../infra/build/bundle.ts';
import { packageRoot } from '../../infra/package-root.ts';
import { type Metered, startMetered } from './metered.ts';

/** The functions of one version of the sources, built from the bench's configuration. */
export interface Built {
  readonly name: string;
  readonly directoryOf: (target: FunctionName | 'empty') => string;
  /** Command-line flags for Node. */
  readonly flags: readonly string[];
  readonly remove: () => Promise<void>;
}

const emptyFunction = `const { http } = require('@google-cloud/functions-framework');
http('empty', (request, response) => response.send('{}'));
`;

/** Builds with the `bundleFunction` of the sources at `root`, for functions with this much memory. */
export async function buildFunctions(
  name: string,
  root: string,
  memoryMiB: number,
): Promise<Built> {
  const parent = await mkdtemp(join(tmpdir(), 'bench-'));
  const { bundleFunction } = (await import(join(root, 'infra/build/bundle.ts'))) as {
    readonly bundleFunction: (config: string, target: FunctionName) => Promise<{ files: object }>;
  };
  const config = join(root, 'test/bench/reconciler.config.ts');
  for (const target of ['resync', 'audit'] as const)
    await write(join(parent, target), (await bundleFunction(config, target)).files);
  await write(join(parent, 'empty'), { 'index.js': emptyFunction });
  return {
    name,
    directoryOf: (target) => join(parent, target),
    flags: flagsFor(memoryMiB),
    remove: () => rm(parent, { recursive: true }),
  };
}

async function write(directory: string, files: object): Promise<void> {
  await mkdir(directory);
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, name), content);
  await writeFile(join(directory, 'package.json'), '{"type":"commonjs","main":"index.js"}');
  await symlink(join(packageRoot, 'node_modules'), join(directory, 'node_modules'));
}

/** The flags that the Terraform module sets. */
const flagsFor = (memoryMiB: number): readonly string[] => [
  '--enable-source-maps',
  '--max-semi-space-size=8',
  `--max-old-space-size=${Math.floor(Math.min(0.75 * memoryMiB, memoryMiB - 128))}`,
];
const frameworkMain = join(
  dirname(createRequire(import.meta.url).resolve('@google-cloud/functions-framework')),
  'main.js',
);

export interface Serving extends Metered {
  readonly socketPath: string;
  readonly post: (body: object) => Promise<unknown>;
}

/** Starts a function with the framework's own command, as the platform does; resolves once it responds. */
export async function serve(
  { directoryOf, flags }: Built,
  target: FunctionName | 'empty',
  env: Readonly<Record<string, string>>,
): Promise<Serving> {
  const directory = directoryOf(target);
  const socketPath = join(dirname(directory), `${crypto.randomUUID()}.sock`);
  const metered = startMetered({
    file: frameworkMain,
    args: [`--target=${target}`, `--port=${socketPath}`],
    cwd: directory,
    flags,
    env: { NODE_ENV: 'production', ...env },
  });
  const ask = (method: string, body: object): Promise<unknown> =>
    send({ socketPath, method, body });
  while (!(await ask('GET', {}).then(() => true, isNotListening))) await pause(2);
  return { ...metered, socketPath, post: (body) => ask('POST', body) };
}

function isNotListening(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOENT' && error.code !== 'ECONNREFUSED') throw error;
  return false;
}

async function send({
  body,
  ...options
}: {
  readonly socketPath: string;
  readonly method: string;
  readonly body: object;
}): Promise<unknown> {
  const sent = request({ ...options, path: '/', headers: { 'content-type': 'application/json' } });
  sent.end(options.method === 'GET' ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  const result = await text(response);
  if (options.method === 'POST' && response.statusCode >= 300)
    throw new Error(`the function returned ${response.statusCode}: ${result}`);
  return options.method === 'GET' ? undefined : JSON.parse(result || '{}');
}
