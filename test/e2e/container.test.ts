import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { containerFiles, type PackageManager } from '../../infra/generate/container.ts';
import { packageRoot } from '../../infra/package-root.ts';
import { buildArtefact, removeArtefact } from '../build/artefact.ts';
import { eventually } from '../scenarios/eventually.ts';
import { newDirectory } from '../support/directories.ts';

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

const dockerfile = (manager: PackageManager): readonly Instruction[] =>
  (containerFiles(manager).get('Dockerfile') ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, word = '', rest = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
      return { word, rest };
    });

const restsOf = (stage: readonly Instruction[], word: string): readonly string[] =>
  stage.filter((one) => one.word === word).map(({ rest }) => rest);

/** Returns the instructions of the build stage and of the image. */
function stagesOf(manager: PackageManager) {
  const all = dockerfile(manager);
  const last = all.findLastIndex(({ word }) => word === 'FROM');
  return { build: all.slice(0, last), image: all.slice(last) };
}

const environment = Object.fromEntries(
  restsOf(stagesOf('npm').image, 'ENV').map((rest) => {
    const [, name = '', value = ''] = /^(\w+)="?(.*?)"?$/.exec(rest) ?? [];
    return [name, value];
  }),
);

describe('the Dockerfile', () => {
  it.each([
    { manager: 'npm', want: [/^npm ci$/, / build$/, /dist\/resync && npm ci --omit=dev/] },
    {
      manager: 'pnpm',
      want: [
        /pnpm install --frozen-lockfile$/,
        / build$/,
        /dist\/resync && npm install --omit=dev/,
      ],
    },
  ] as const)('installs and builds in a separate stage with $manager', ({ manager, want }) => {
    const { build } = stagesOf(manager);
    const runs = restsOf(build, 'RUN');
    expect(runs).toHaveLength(want.length);
    for (const [at, pattern] of want.entries()) expect(runs[at]).toMatch(pattern);
    expect(build[0]).toEqual({ word: 'FROM', rest: 'node:24-slim AS build' });
  });

  it('makes an image that contains only the built functions and does not run as root', () => {
    const { image } = stagesOf('npm');
    expect(restsOf(image, 'FROM')).toEqual(['node:24-slim']);
    expect(restsOf(image, 'COPY')).toEqual(['--from=build /src/dist /app']);
    expect(restsOf(image, 'USER')).toEqual(['1000']);
    expect(restsOf(image, 'RUN')).toEqual([]);
    expect(restsOf(image, 'HEALTHCHECK')).toEqual([]);
  });

  it('gives Node the same share of 512 MiB as on Google Cloud', () => {
    const heap = Math.floor(Math.min(0.75 * 512, 512 - 128));
    expect(environment.NODE_OPTIONS).toBe(
      `--enable-source-maps --max-semi-space-size=8 --max-old-space-size=${heap}`,
    );
  });

  it('ignores only files that are not needed', () => {
    const ignored = containerFiles('npm').get('.dockerignore')?.split('\n') ?? [];
    expect(ignored).toEqual(expect.arrayContaining(['**/node_modules', 'dist', '.git', '.local']));
    // A pattern with a trailing * would ignore sources such as kubeconfig.ts.
    expect(ignored).toEqual(expect.arrayContaining(['**/kubeconfig', '**/*.tfstate*']));
    expect(ignored.filter((line) => /kubeconfig\*/.test(line))).toEqual([]);
  });
});

/** Builds `/app` as the last stage contains it, with the packages of the tests. */
async function imageDirectory(): Promise<string> {
  const app = await newDirectory('image-');
  for (const target of ['resync', 'audit'] as const) {
    const built = await buildArtefact(target);
    for (const file of ['index.js', 'package.json'])
      await cp(join(built, file), join(app, target, file));
    await removeArtefact(built);
  }
  await symlink(join(packageRoot, 'node_modules'), join(app, 'node_modules'));
  return app;
}

function start(app: string, env: Readonly<Record<string, string>>): ChildProcess {
  const [cmd = '[]'] = restsOf(stagesOf('npm').image, 'CMD');
  const [command = '', ...args] = JSON.parse(cmd) as readonly string[];
  const child = spawn(command, args, {
    cwd: app,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function send(socketPath: string, method: string) {
  const sent = request({ socketPath, method, path: '/' });
  sent.end();
  const [response] = await once(sent, 'response');
  return { code: response.statusCode as number, body: JSON.parse(await text(response)) as object };
}

const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

describe('the command of the image', { timeout: 240_000 }, () => {
  it('serves the function in FUNCTION_TARGET, and is ready without a cluster', async () => {
    const app = await imageDirectory();
    for (const target of ['resync', 'audit']) {
      const PORT = join(app, `${target}.sock`);
      const child = start(app, { ...inPod, FUNCTION_TARGET: target, PORT });
      expect(await eventually(() => send(PORT, 'GET'))).toEqual({
        code: 200,
        body: { status: 'ok' },
      });
      // The run fails because no token is mounted; the audit function needs a body.
      const { code, body } = await send(PORT, 'POST');
      expect([target, code]).toEqual([target, target === 'resync' ? 503 : 400]);
      expect(JSON.stringify(body)).toMatch(
        target === 'resync' ? /serviceaccount\/token cannot be read/ : /the body is empty/,
      );
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });

  it('reports a missing FUNCTION_TARGET', async () => {
    const child = start(tmpdir(), inPod);
    const [said] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    expect(said).toMatch(/FUNCTION_TARGET: set it to resync or audit/);
    expect(child.exitCode).toBeGreaterThan(0);
  });
});
