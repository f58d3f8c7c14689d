import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLocalCluster } from '../../cluster.ts';
import { isModelled } from '../../control-plane/release.ts';
import { startControlPlane } from '../../control-plane/start.ts';
import { buildGoClient, type ClientProgram, installPythonClient } from '../clients/build.ts';

const ends: (() => Promise<unknown>)[] = [];
const kubeconfigs = { local: '', real: '' };
const minutes = 60_000;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clients-'));
  ends.push(() => rm(directory, { recursive: true }));
  // Runs both without controllers, so that no other writer interferes.
  const local = await startLocalCluster({ controllers: 'paused' });
  ends.push(local.stop);
  kubeconfigs.local = join(directory, 'kubeconfig');
  await writeFile(kubeconfigs.local, local.kubeconfig());
  const real = await startControlPlane({ controllers: false });
  ends.push(real.stop);
  kubeconfigs.real = real.kubeconfig;
}, 15 * minutes);
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

async function use(program: ClientProgram, kubeconfig: string) {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(program.command, [...program.args, kubeconfig], { stdio: [...stdio] });
  const [seen, errors, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit'),
  ]);
  return { code, errors, seen: seen.split('\n') };
}

test.runIf(isModelled()).each([
  { language: 'Go', prepare: buildGoClient },
  { language: 'Python', prepare: installPythonClient },
])(
  'the client of $language sees on the local cluster what it sees on the real one',
  async ({ prepare }) => {
    const program = await prepare();
    const real = await use(program, kubeconfigs.real);
    expect(real).toMatchObject({ code: 0, errors: '' });
    expect(await use(program, kubeconfigs.local)).toEqual(real);
  },
  15 * minutes,
);
