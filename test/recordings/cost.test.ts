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

const sites = { old: website, next: newer, spec: { imageTag: 'v1' } };
const shelves = { old: shelfKind(), next: shelfKind({ image: 'web:2' }), spec: {} };

/** Counts calls, because time depends on the machine. A first pass learns the values of Secrets. */
test.each([
  { what: 'once', most: 1, ...sites, beside: [] },
  { what: 'once beside a kind that owns Secrets', most: 1, ...sites, beside: [shelfKind()] },
  { what: 'twice, because it owns Secrets', most: 2, ...shelves, beside: [] },
])('a recording of a changed kind is planned $what where a run plans', async (one) => {
  const { most, old, next, spec, beside } = one;
  const kinds = [old, ...beside];
  const ground = await openCliGround({ kinds });
  onTestFinished(() => ground.stop());
  const { api, directory, run } = ground;
  for (let at = 0; at < 10; at++)
    await api.create(old, `web-${at}`, { spec: { ...spec, nodePort: 30_000 + at } });
  const env = { ROLLOUT_BUDGET: 'off' };
  for (const _ of [1, 2]) await run(['resync'], { kinds, env });
  const before = join(directory, 'before');
  await mkdir(before);
  await run(['resync', '--record', join(before, 'one.jsonl')], { kinds, env });
  const { kind, take } = counted(next);
  const changed = [kind, ...beside];
  expect((await run(['impact', before], { kinds: changed, env })).out).toMatch(
    /^Restarts 10 of 10/,
  );
  const judged = take();
  await run(['resync'], { kinds: changed, env });
  expect(judged).toBeLessThanOrEqual(most * take());
});
