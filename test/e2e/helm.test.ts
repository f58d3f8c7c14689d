import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isZero } from '../../shared/canonical.ts';
import type { Json, KubeObject } from '../../shared/kubernetes.ts';
import { runAlone } from '../cli/command-runner.ts';
import { buildHelm } from '../helm/build-helm.ts';

const run = promisify(execFile);
let plane: ControlPlane;
let directory: string;
let program: string;

const access = () => ['--kubeconfig', plane.kubeconfig];
const helm = async (...args: readonly string[]): Promise<string> =>
  (await run(program, [...args], { env: { ...process.env, HOME: directory } })).stdout;
const kubectl = async (...args: readonly string[]): Promise<string> =>
  (await run(plane.kubectl, [...access(), '--context', 'admin', ...args])).stdout;
const onCluster = (): readonly string[] => [...access(), '--kube-context', 'admin', '-n', 'rec'];

const image = ['--image', 'registry.example.com/r:1'];
const chart = (): string => join(directory, 'chart');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'helm-'));
  program = await buildHelm((line) => process.stderr.write(`${line}\n`));
  plane = await startControlPlane({});
  const argv = ['generate', 'helm', ...image, '--audit-from', '10.0.0.0/28', '--out', chart()];
  expect(await runAlone(argv, { home: directory })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await plane?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Manifests by kind and name, without empty fields, which a chart leaves to its values. */
const manifestsIn = (text: string): ReadonlyMap<string, Json> =>
  new Map(
    parseAllDocuments(text).map((document) => {
      const manifest = document.toJS() as KubeObject;
      return [`${manifest.kind} ${manifest.metadata.name}`, compact(manifest as Json)];
    }),
  );

function compact(value: Json): Json {
  if (Array.isArray(value)) return value.map(compact).toSorted(byName);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => !isZero(inner));
  return Object.fromEntries(fields.map(([field, inner]) => [field, compact(inner as Json)]));
}

/** Sorts lists by name, because the variables of a container have another order. */
const byName = (a: Json, b: Json): number => (nameOf(a) < nameOf(b) ? -1 : 1);
const nameOf = (value: Json): string => JSON.stringify((value as { name?: string })?.name ?? '');

it('helm lint reports nothing about the chart', async () => {
  expect(await helm('lint', '--strict', chart())).toContain('0 chart(s) failed');
});

it("the chart's defaults render the manifests of generate kubernetes and the CRDs", async () => {
  const rendered = manifestsIn(await helm('template', 'r', chart(), '-n', 'rec'));
  const options = [...image, '--namespace', 'rec', '--audit-from', '10.0.0.0/28'];
  const printed = await runAlone(['generate', 'kubernetes', ...options], { home: directory });
  const isDefinition = (name: string): boolean => name.startsWith('CustomResourceDefinition ');
  const others = [...rendered].filter(([name]) => !isDefinition(name));
  expect(new Map(others)).toEqual(manifestsIn(printed.out));
  expect([...rendered.keys()].filter(isDefinition)).toHaveLength(5);
});

it.each([
  ['environment.CONCURRENCY=5', 'environment.CONCURRENCY'],
  ['imagee=x', 'imagee'],
  ['schedule=hourly', 'schedule'],
])('the chart refuses the value %s', async (value, place) => {
  const refused = helm('template', 'r', chart(), '--set', value);
  await expect(refused).rejects.toMatchObject({
    stderr: expect.stringContaining(place.split('.')[0] ?? ''),
  });
});

it('the chart is installed, upgraded and uninstalled, and keeps the CRDs', async () => {
  await helm('install', 'r', chart(), ...onCluster(), '--create-namespace');
  await kubectl(
    'wait',
    '-n',
    'rec',
    '--timeout=60s',
    '--for=condition=Available',
    'deploy',
    '--all',
  );
  const deadline = ['--set-string', 'environment.DEADLINE_SECONDS=120'];
  await helm('upgrade', 'r', chart(), ...onCluster(), ...deadline, '--set', 'auditFrom=null');
  const job = await kubectl('get', '-n', 'rec', 'cronjob', '-o', 'json');
  expect(JSON.parse(job).items[0].spec.jobTemplate.spec.activeDeadlineSeconds).toBe(180);
  const names = await kubectl('get', '-n', 'rec', 'networkpolicy', '-o', 'name');
  expect(names.trim()).toBe('networkpolicy.networking.k8s.io/serverless-reconciler-resync');
  await helm('uninstall', 'r', ...onCluster(), '--wait');
  expect(await kubectl('get', '-n', 'rec', 'deploy,cronjob,sa', '-o', 'name')).not.toContain(
    'serverless-reconciler',
  );
  expect((await kubectl('get', 'crds', '-o', 'name')).trim().split('\n')).toHaveLength(5);
});
