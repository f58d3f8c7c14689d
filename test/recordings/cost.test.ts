import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { website } from '../../systems/website.ts';
import { openCliGround } from '../cli/command-runner.ts';
import { shelfKind } from './shelf.ts';

/** Counts how often a kind is asked for the children of a resource. */
function counted(kind: Kind) {
  let calls = 0;
  const desired: Kind['desired'] = (resource, find) => {
    calls++;
    return kind.desired(resource, find);
  };
  return {
    kind: { ...kind, desired },
    take: () => {
      const taken = calls;
      calls = 0;
      return taken;
    },
  };
}

/** A version of Website with another image. */
const newer: Kind = {
  ...website,
  desired(resource, find) {
    const spec = { ...(resource.spec as object), imageTag: 'v2' };
    return website.desired({ ...resource, spec }, find);
  },
};

const shelves = { old: shelfKind(), next: shelfKind({ image: 'web:2' }) };

/** Counts calls, because time depends on the machine. A first pass learns the values of Secrets. */
test.each([
  { what: 'once', most: 1, old: website, next: newer, spec: { imageTag: 'v1' } },
  { what: 'twice, because it owns Secrets', most: 2, ...shelves, spec: {} },
])('a recording of a changed kind is planned $what where a run plans', async (one) => {
  const { most, old, next, spec } = one;
  const ground = await openCliGround({ kinds: [old] });
  onTestFinished(() => ground.stop());
  const { api, directory, run } = ground;
  for (let at = 0; at < 10; at++)
    await api.create(old, `web-${at}`, { spec: { ...spec, nodePort: 30_000 + at } });
  const env = { ROLLOUT_BUDGET: 'off' };
  for (const _ of [1, 2]) await run(['resync'], { kinds: [old], env });
  const before = join(directory, 'before');
  await mkdir(before);
  await run(['resync', '--record', join(before, 'one.jsonl')], { kinds: [old], env });
  const { kind, take } = counted(next);
  expect((await run(['impact', before], { kinds: [kind], env })).out).toMatch(/^Restarts 10 of 10/);
  const judged = take();
  await run(['resync'], { kinds: [kind], env });
  expect(judged).toBeLessThanOrEqual(most * take());
});
