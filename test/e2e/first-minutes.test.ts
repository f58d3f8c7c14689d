import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../scenarios/eventually.ts';
import { blocksOf } from '../support/examples.ts';
import { freePort, lineOf } from '../support/processes.ts';
import { cloneRepository } from './clone.ts';
import { ended, env, run } from './project.ts';

/** Commands of the README, by line. They run in a clone with a real kubectl, on other ports. */
const [install, look, alone, plan] = (await blocksOf('README.md'))
  .filter(({ language }) => language === 'sh')
  .map(({ text }) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ +#.*$/, '')),
  );

let copy: string;
/** Started for its kubectl. */
let plane: ControlPlane;
let started: ChildProcess | undefined;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  copy = await cloneRepository();
}, 900_000);
afterAll(async () => {
  if (started !== undefined) await ended(started);
  await plane?.stop();
  await rm(copy, { recursive: true, force: true });
});

/** Runs a line in a shell that exports KUBECONFIG. */
const type = (line: string): Promise<string> =>
  run(
    copy,
    'env',
    'KUBECONFIG=.local/kubeconfig',
    `PATH=${dirname(plane.kubectl)}:${env.PATH}`,
    'bash',
    '-c',
    line,
  );

/** Starts npm start with the options of a line, and waits until everything is reconciled. */
async function start(line: string): Promise<void> {
  if (started !== undefined) await ended(started);
  const ports = await Promise.all([1, 2, 3, 4].map(freePort));
  const names = ['--api-port', '--resync-port', '--audit-port', '--page-port'];
  const [, , ...options] = line.split(' ');
  const given = [...options.filter((one) => one !== '--')].concat(
    names.flatMap((name, at) => [name, String(ports[at])]),
  );
  // Started without npm, which does not forward signals.
  started = spawn(process.execPath, [join('infra', 'cli', 'main.ts'), 'start', ...given], {
    cwd: copy,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await lineOf(started, /6 of 6 resources reconciled/);
}

const replicas = () =>
  type('kubectl get deployment website-sample -o jsonpath={.spec.replicas}').then(Number);

test("the README's first minutes: drift is repaired while npm start runs", {
  timeout: 120_000,
}, async () => {
  expect(install).toEqual(['npm ci && npm start']);
  await start('npm start');
  expect(look?.[0]).toBe('export KUBECONFIG=.local/kubeconfig');
  const [kinds, children, scale, remove, events, status, ...more] = look?.slice(1) ?? [];
  expect(more).toEqual([]);
  const resources = await type(`${kinds}`);
  expect(resources.match(/ True +Ready /g)).toHaveLength(6);
  expect(await type(`${children}`)).toMatch(/^deployment.apps\/website-sample +2\/2/m);
  expect(await type(`${scale}`)).toBe('deployment.apps/website-sample scaled\n');
  await eventually(async () => expect(await replicas()).toBe(2));
  expect(await type(`${remove}`)).toContain('"website-sample" deleted');
  await eventually(() => type('kubectl get service website-sample'));
  await eventually(async () => {
    const posted = await type(`${events}`);
    expect(posted).toMatch(
      /Repaired .*spec\.replicas 5 → 2, changed by kubernetes-admin with kube/,
    );
    expect(posted).toMatch(
      /Repaired .*Service website-sample: was deleted by kubernetes-admin with kube.*, created again/,
    );
  });
  expect(await type(`${status}`)).toMatch(/^Website default\/website-sample +InSync +True/m);
});

test("the README's first minutes: without audit events, a plan shows a change before its repair", {
  timeout: 120_000,
}, async () => {
  expect(alone).toHaveLength(1);
  await start(`${alone?.[0]}`);
  const [scale, planned, applied, ...more] = plan ?? [];
  expect(more).toEqual([]);
  await type(`${scale}`);
  expect(await type(`${planned}`)).toMatch(
    /^update +Deployment website-sample +Website default\/website-sample +spec\.replicas 5 → 2, changed by kubectl$/m,
  );
  expect(await replicas()).toBe(5);
  expect(await type(`${applied}`)).toContain('children: 1 updated; 2 statuses written');
  expect(await replicas()).toBe(2);
});
