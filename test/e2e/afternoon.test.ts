import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../infra/package-root.ts';
import { installAll } from '../scenarios/definitions.ts';
import { eventually } from '../scenarios/eventually.ts';
import { env } from './project.ts';

const file = join(packageRoot, 'docs', 'afternoon.md');

let plane: ControlPlane;
let home: string;
// Start a new cluster for each attempt, because the commands change it.
beforeEach(async () => {
  plane = await startControlPlane({});
  home = await mkdtemp(join(tmpdir(), 'afternoon-'));
  const admin = createClient({ url: plane.url, ca: plane.ca, token: plane.tokens.admin });
  await installAll(admin);
  await admin.close();
}, 900_000);
afterEach(async () => {
  await plane?.stop();
  await rm(home, { recursive: true, force: true });
});

/** Runs a line and returns its stdout; stderr of the command names the port of the cluster, which changes. */
function type(line: string): Promise<string> {
  const reconciler = `reconciler() { ${process.execPath} ${join(packageRoot, 'infra/app/main.ts')} "$@" 2>/dev/null; }`;
  const shell = spawn('bash', ['-c', `${reconciler}\n{ ${line}\n} 2>&1`], {
    cwd: packageRoot,
    env: {
      ...env,
      HOME: home,
      KUBECONFIG: plane.kubeconfig,
      PATH: `${dirname(plane.kubectl)}:${env.PATH}`,
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const parts: string[] = [];
  shell.stdout.on('data', (part) => parts.push(String(part)));
  return new Promise((resolve) => {
    shell.once('close', () => resolve(parts.join('').trimEnd()));
  });
}

/** Splits a console block into commands, with their here-documents, and their shown output. */
const stepsOf = (console: string): readonly (readonly [line: string, shown: string])[] =>
  [...console.matchAll(/^\$ (.*<<'END'\n[\s\S]*?\nEND|.*)\n((?:(?!\$ ).*\n)*)/gm)].map(
    ([, line = '', shown = '']) => [line, shown.trimEnd()],
  );

/** Normalizes the parts of an output that differ in each run: ages, durations and the width of columns. */
const lasting = (text: string): string =>
  text
    .replaceAll(/\b\d+[smh](?:\d+s)?\b/g, '1s')
    .replaceAll(/\d+ requests/g, 'some requests')
    .replaceAll(/\bin \d+\.\d s\b/g, 'in 0.1 s')
    // An older kubectl prints no namespace.
    .replaceAll(/ deleted from \S+ namespace/g, ' deleted')
    // The status of a resource that becomes ready during the run is written twice.
    .replaceAll(/\d+ status(?:es)? written/g, 'some statuses written')
    .replaceAll(/ +/g, ' ');

const isWriting = process.env.AFTERNOON === 'write';

/** Runs a line and returns its output; a line that only reads is repeated until the output matches the page. */
async function play(line: string, shown: string): Promise<string> {
  let printed = '';
  const attempt = async (): Promise<void> => {
    printed = await type(line);
    expect(lasting(printed)).toBe(lasting(shown));
  };
  const isRead = /^(?:kubectl get|reconciler (?:status|plan)) /.test(line);
  if (isRead && !isWriting) await eventually(attempt, 30_000).catch(() => undefined);
  else printed = await type(line);
  return printed;
}

test('the four incidents of docs/afternoon.md are repaired with the command alone', {
  timeout: 600_000,
}, async () => {
  const page = await readFile(file, 'utf8');
  let played = page;
  for (const [block, text = ''] of page.matchAll(/^```console\n([\s\S]*?)^```$/gm)) {
    const shown: string[] = [];
    for (const [line, before] of stepsOf(text)) {
      const printed = await play(line, before);
      shown.push(`$ ${line}`, ...(printed === '' ? [] : [printed]));
    }
    played = played.replace(block, () => `\`\`\`console\n${shown.join('\n')}\n\`\`\``);
  }
  if (isWriting) await writeFile(file, played);
  else expect(lasting(played)).toBe(lasting(page));
  expect(played).toMatch(/Drifted .*by kubectl/);
  expect(played).toContain('node port 31080 is held by Service shop/front');
  expect(played.trimEnd()).toMatch(/Nothing to do: 4 resources up to date\.\n.*\n```$/);
});
