import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foo } from '../../systems/foo.ts';
import { startApiEndpoint, status } from '../support/api-endpoint.ts';
import { type CliGround, openCliGround, runAlone } from './command-runner.ts';

const hostile = 'no\u001b]0;owned\u0007 \u001b[2J\u009b8m \u202eerised\u2066\r True';
/** Characters that could control a terminal; the command's own colours are removed before. */
const steering = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;
const withoutColours = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
  text.replaceAll(/\u001b\[(1|22|31|32|33|35|39)m/g, '');

let ground: CliGround;
beforeAll(async () => {
  ground = await openCliGround();
  await ground.api.create(foo, 'f', { spec: { deploymentName: 'f' } });
  const condition = { type: 'Ready', status: 'False', reason: 'Because', message: hostile };
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await ground.api.patch(foo, 'f', { status: { conditions } }, { subresource: 'status' });
});
afterAll(() => ground.stop());

it('escape sequences in a resource do not reach the terminal', async () => {
  const { out } = await ground.run(['status'], { isTTY: true });
  expect(out).toContain('no\\u001b]0;owned\\u0007');
  expect(withoutColours(out)).not.toMatch(steering);
});

it('escape sequences do not reach the terminal with -o json, which keeps its value', async () => {
  const { out } = await ground.run(['status', '-o', 'json'], { isTTY: true });
  expect(out).not.toMatch(steering);
  expect(JSON.parse(out)).toMatchObject({ resources: [{ message: hostile }] });
});

it('escape sequences in a response of the server do not reach the terminal', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cli-'));
  const { url } = await startApiEndpoint(() => status(403, 'Forbidden', { message: hostile }));
  const kubeconfig = join(directory, 'kubeconfig');
  const config = {
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: { server: url } }],
    users: [{ name: 'x', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  const { code, out, err } = await runAlone(['resync', '--kubeconfig', kubeconfig], {
    home: directory,
    isTTY: true,
    env: { KINDS: 'Foo' },
  });
  await rm(directory, { recursive: true });
  expect(code).toBe(1);
  expect(err).toContain('\\u001b[2J');
  expect(withoutColours(out + err)).not.toMatch(steering);
});
