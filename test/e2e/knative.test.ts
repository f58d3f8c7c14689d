import { execFile } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { runAlone } from '../cli/command-runner.ts';
import { buildWebhook } from '../knative/webhook/build-webhook.ts';

let webhook: string;
let manifests: readonly string[];

/** Admits manifests as Knative's webhooks do; resolves with their refusals. */
const refusalsOf = (strings: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(webhook, (error, stdout, stderr) =>
      error !== null && stdout === ''
        ? reject(new Error(stderr, { cause: error }))
        : resolve(stdout),
    );
    child.stdin?.end(strings.join('\n---\n'));
  });

beforeAll(async () => {
  webhook = await buildWebhook((line) => process.stderr.write(`${line}\n`));
  const where =
    '--image registry.example.com/reconciler:1 --namespace reconciler --audit-url http://a/';
  const options = { home: '/nonexistent' };
  const { code, out } = await runAlone(['generate', 'knative', ...where.split(' ')], options);
  expect(code).toBe(0);
  manifests = out
    .split(/^---$/m)
    .filter((text) => /^apiVersion: (serving|sources)\.knative\.dev/m.test(text));
});

it("Knative's webhooks admit the generated manifests", async () => {
  expect(manifests).toHaveLength(4);
  expect(await refusalsOf(manifests)).toBe('');
});

it.each([
  ['spec:\n', 'spec:\n  speed: 1\n', 'unknown field "speed"'],
  ['mode: Reference', 'mode: Metadata', 'invalid value: Metadata: spec.mode'],
  ['containerConcurrency: 1', 'containerConcurrency: -1', 'expected 0 <= -1 <= 1000'],
])('Knative\'s webhooks refuse "%s" written as "%s"', async (right, wrong, refusal) => {
  const spoilt = manifests.map((text) => text.replace(right, wrong));
  expect(spoilt).not.toEqual(manifests);
  expect(await refusalsOf(spoilt)).toContain(refusal);
});
