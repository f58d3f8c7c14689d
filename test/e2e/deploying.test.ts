import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromServiceAccount } from '../../shared/cluster/credentials/service-account.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import { runAlone } from '../cli/command-runner.ts';
import { eventually } from '../scenarios/eventually.ts';

const run = promisify(execFile);
let plane: ControlPlane;
let directory: string;

const kubectl = async (...args: readonly string[]): Promise<string> => {
  const access = ['--kubeconfig', plane.kubeconfig, '--context', 'admin'];
  return (await run(plane.kubectl, [...access, ...args])).stdout;
};

/** Deploys as in docs/deploying.md, into a namespace that admits only restricted pods. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'deploying-'));
  plane = await startControlPlane({});
  for (const namespace of ['reconciler', 'team-a']) await kubectl('create', 'namespace', namespace);
  await kubectl(
    'label',
    'namespace',
    'reconciler',
    'pod-security.kubernetes.io/enforce=restricted',
  );
  const install = ['--image', 'registry.example.com/r:1', '--namespace', 'reconciler'];
  for (const argv of [
    ['crds', '--out', join(directory, 'definitions')],
    [
      'kubernetes',
      ...install,
      '--namespaces',
      'team-a',
      '--audit-from',
      '10.0.0.0/28',
      '--audit-url',
      'http://10.0.0.7/',
      '--out',
      join(directory, 'deploy'),
    ],
  ])
    expect(await runAlone(['generate', ...argv], { home: directory })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await plane?.stop();
  await rm(directory, { recursive: true, force: true });
});

it('the generated manifests can be applied, and their pods are admitted', async () => {
  const strictly = ['apply', '--server-side', '--validate=strict'];
  await kubectl(...strictly, '-f', join(directory, 'definitions', 'crds'));
  const applied = await kubectl(...strictly, '-k', join(directory, 'deploy'));
  expect(applied.trim().split('\n')).toHaveLength(12);
  const cronJob = 'cronjob/serverless-reconciler-schedule';
  await kubectl('create', 'job', '-n', 'reconciler', `--from=${cronJob}`, 'first-resync');
  const wait = ['wait', '-n', 'reconciler', '--timeout=60s'];
  await kubectl(...wait, '--for=condition=Available', 'deployment', '--all');
  await kubectl(...wait, '--for=condition=Complete', 'job/first-resync');
});

it('the service account may list resources only in its namespaces', async () => {
  const token = await kubectl('create', 'token', '-n', 'reconciler', 'serverless-reconciler');
  const mounted = join(directory, 'mounted');
  await mkdir(mounted);
  await writeFile(join(mounted, 'token'), token);
  await writeFile(join(mounted, 'ca.crt'), plane.ca);
  const connection = connect(await fromServiceAccount(plane.url, mounted));
  const list = (namespace: string) =>
    connection.send({
      method: 'GET',
      path: `/apis/example.com/v1alpha1/namespaces/${namespace}/foos`,
      what: 'list foos',
    });
  try {
    await eventually(() => list('team-a'));
    await expect(list('default')).rejects.toMatchObject({ code: 403 });
  } finally {
    await connection.close();
  }
});
