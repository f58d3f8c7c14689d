import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../infra/cli/run-command.ts';
import { install } from '../../infra/generate/install.ts';
import { canonicalJson } from '../../shared/canonical.ts';
import { defineConfig } from '../../shared/config/define-config.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap, service } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Json, JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { RefusedError } from '../../testing/user.ts';
import { type Api, applyManifest, openApi } from '../scenarios/api.ts';
import { type Block, blocksOf, patched, withSources } from '../support/examples.ts';

/**
 * Follows the tutorial on one cluster, with the kind as it is after each block. Instead of the functions,
 * `resync` runs after each change.
 */
const blocks = await blocksOf('docs/tutorial.md');
let directory: string;
let cluster: LocalCluster;
let client: Client;
let api: Api;
let code = '';
let site: Kind;
let stages = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tutorial-'));
  cluster = await startLocalCluster({});
  await writeFile(join(directory, 'kubeconfig'), cluster.kubeconfig());
  client = createClient({ url: cluster.url });
  api = openApi(client, 'default');
});
afterAll(async () => {
  await client?.close();
  await cluster?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Loads the kind from the current code. */
async function load(): Promise<void> {
  stages += 1;
  const file = join(directory, `site-${stages}.ts`);
  await writeFile(file, withSources(code));
  ({ site } = (await import(pathToFileURL(file).href)) as { site: Kind });
}

const apply = (path: string, manifest: object) =>
  applyManifest(client, path, manifest as JsonObject);

/** Does what saving the file and pressing Enter would do, or a resync. */
async function reconcile(samples = false): Promise<void> {
  await install(apply, { kinds: [site], user: 'reconciler', samples });
  await cluster.controllers.settled();
  for (const _ of ['children', 'status']) {
    await reconciler('resync');
    await cluster.controllers.settled();
  }
}

async function reconciler(...args: readonly string[]): Promise<string> {
  const parts: string[] = [];
  const out = Object.assign(new PassThrough(), { isTTY: false });
  out.on('data', (part) => parts.push(String(part)));
  await runCommand(args, {
    env: { HOME: directory, KUBECONFIG: join(directory, 'kubeconfig'), SETTLE_SECONDS: '0' },
    configFile: () => join(directory, 'reconciler.config.ts'),
    loadConfig: async () => defineConfig({ kinds: [site] }),
    out,
    err: out,
    localKubeconfig: '/nonexistent/kubeconfig',
    now: () => new Date(),
    wait: async () => undefined,
  });
  return parts.join('').trimEnd();
}

const dataOf = async (): Promise<string> =>
  canonicalJson((await api.get(configMap, 'site-sample')).data as Json);

/** Returns the table that `kubectl get` prints, without alignment. */
async function tableOf({ group, version, plural }: ResourceType): Promise<string> {
  const { body } = await client.send({
    method: 'GET',
    path: `/apis/${group}/${version}/namespaces/default/${plural}`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  const { columnDefinitions, rows } = body as unknown as {
    readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
    readonly rows: readonly { readonly cells: readonly unknown[] }[];
  };
  const shown = columnDefinitions.map(({ priority }) => priority === 0);
  return [
    columnDefinitions.map(({ name }) => name.toUpperCase()),
    ...rows.map(({ cells }) => cells),
  ]
    .map((cells) => cells.filter((_, at) => shown[at]).join(' '))
    .join('\n');
}

const patchSite = async (body: string): Promise<string> => {
  await api.patch(site, 'site-sample', JSON.parse(body));
  await reconcile();
  return 'site.example.org/site-sample patched';
};

/** The commands of the tutorial, and functions that have their effect and return their output. */
const commands: readonly (readonly [RegExp, (...found: string[]) => Promise<string>])[] = [
  [/^export KUBECONFIG=/, async () => ''],
  [/^npx reconciler (.*)$/, (args = '') => reconciler(...args.split(' '))],
  [/^kubectl get sites$/, () => tableOf(site)],
  [/^kubectl get configmap site-sample -o jsonpath='\{\.data\}'$/, dataOf],
  [
    /^kubectl get deployment,service site-sample -o name$/,
    async () => {
      await Promise.all([deployment, service].map((type) => api.get(type, 'site-sample')));
      return 'deployment.apps/site-sample\nservice/site-sample';
    },
  ],
  [
    /^kubectl get deployment site-sample -o jsonpath='\{\.spec\.replicas\}'$/,
    async () => String((await api.get(deployment, 'site-sample')).spec?.replicas),
  ],
  [
    /^kubectl get site site-sample -o jsonpath='.*Stalled.*message\}'$/,
    async () =>
      String(
        (await api.get(site, 'site-sample')).status?.conditions?.find(
          ({ type }) => type === 'Stalled',
        )?.message,
      ),
  ],
  [
    /^kubectl patch configmap site-sample --type merge -p '(.*)'$/,
    async (body = '') => {
      await api.patch(configMap, 'site-sample', JSON.parse(body));
      expect(await dataOf()).not.toBe('{"index.html":"Hello"}');
      await reconcile();
      return 'configmap/site-sample patched';
    },
  ],
  [/^kubectl patch site site-sample --type merge -p '(.*)'$/, (body = '') => patchSite(body)],
  [
    /^kubectl scale deployment site-sample --replicas=(\d+)$/,
    async (count) => {
      await api.scale(deployment, 'site-sample', Number(count));
      await reconcile();
      return 'deployment.apps/site-sample scaled';
    },
  ],
  [
    /^kubectl create -f - <<'END'\n(.*)\nEND$/s,
    async (manifest = '') => {
      const { metadata, ...body } = parse(manifest);
      const refused = await api.create(site, metadata.name, body).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(RefusedError);
      const { details } = (refused as RefusedError).status;
      const causes = details?.causes?.map(({ field, message }) => `${field}: ${message}`);
      return `The Site "${metadata.name}" is invalid: ${causes?.join(', ')}`;
    },
  ],
];

/** Runs each command of a console block and compares the output, ignoring spaces and ages. */
async function play(text: string): Promise<void> {
  for (const [, shown = ''] of text.matchAll(/^\$ (.*?)(?=^\$ |$(?![\s\S]))/gms)) {
    const end = /<<'END'\n/.test(shown) ? shown.indexOf('\nEND\n') + 4 : shown.indexOf('\n');
    const command = shown.slice(0, end);
    const [pattern, run] = commands.find(([one]) => one.test(command)) ?? [];
    expect(pattern, `the test has no function for the command ${command}`).toBeDefined();
    const [, ...found] = pattern?.exec(command) ?? [];
    expect(plain((await run?.(...found)) ?? ''), command).toBe(plain(shown.slice(end)));
  }
}

const plain = (text: string): string =>
  text
    .replaceAll(/(?<=^Cluster http:\/\/127\.0\.0\.1:)\d+/gm, 'PORT')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ ?\b\d+[smh]\d*s?$/gm, '')
    .trim();

const isKind = ({ language, text }: Block): boolean =>
  language === 'ts' && text.includes('defineKind(');

const steps = blocks.filter(
  (block) => isKind(block) || block.language === 'diff' || block.language === 'console',
);

test('the tutorial has the expected steps', () => {
  expect(steps.filter(isKind)).toHaveLength(2);
  expect(steps.filter(({ language }) => language === 'diff')).toHaveLength(4);
  expect(blocks.filter(({ language }) => language === 'ts')).toHaveLength(3);
});

test('each step of the tutorial has the described effect', async () => {
  let pending = false;
  const enter = async (): Promise<void> => {
    if (pending) await reconcile(stages === 1);
    pending = false;
  };
  for (const [at, block] of steps.entries()) {
    const isConsole = block.language === 'console';
    if (!isConsole) {
      code = block.language === 'diff' ? patched(code, block.text) : block.text;
      // Several diffs may form one step; the code is complete only after the last.
      if (steps[at + 1]?.language !== 'diff') await load();
      pending = true;
    } else {
      // A plan is printed before Enter is pressed.
      if (!block.text.startsWith('$ npx reconciler plan')) await enter();
      await play(block.text);
    }
  }
});
