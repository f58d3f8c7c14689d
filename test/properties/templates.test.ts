import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secret } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { Recorder } from '../../shared/recording/recorder.ts';

import { userSecret, vault } from '../support/vault.ts';
import { skipPauses } from './pauses.ts';
import { planOn } from './plan-on.ts';
import { effort, testTimeoutMs } from './runs.ts';
import { openTestbed, type Testbed, type TestNamespace } from './testbed.ts';

let testbed: Testbed;
let restoreTimers: () => void;
const lines: string[] = [];
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [vault], onLog: (line) => lines.push(line) });
  restoreTimers = skipPauses();
});
afterAll(() => {
  restoreTimers();
  testbed.stop();
});

const base64 = (value: string): string => Buffer.from(value).toString('base64');

/** Returns a value in every form in which it could leak. */
function formsOf(value: string): readonly string[] {
  // Includes the beginning alone, because JSON escapes the last characters.
  const strings = [value, value.slice(0, 36), base64(value), encodeURIComponent(value)];
  const digests = strings.flatMap((text) =>
    (['hex', 'base64url'] as const).map((encoding) =>
      createHash('sha256').update(text).digest(encoding).slice(0, 12),
    ),
  );
  return [...strings, ...digests];
}

type Step =
  | { readonly do: 'user'; readonly value: string }
  | { readonly do: 'edit'; readonly key: 'url' | 'name' | 'host'; readonly value: string | null }
  | { readonly do: 'remove'; readonly name: 'one-url' | 'user' }
  | { readonly do: 'rotate'; readonly value: string }
  | { readonly do: 'forget' };

/** Strings that cannot occur elsewhere by accident. */
const value = fc
  .tuple(fc.uuid(), fc.constantFrom('', '/', ' ', 'ü', '"'))
  .map(([id, more]) => `${id}${more}`);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('user' as const), value }),
    fc.record({
      do: fc.constant('edit' as const),
      key: fc.constantFrom('url' as const, 'name' as const, 'host' as const),
      value: fc.option(value),
    }),
    fc.record({
      do: fc.constant('remove' as const),
      name: fc.constantFrom('one-url' as const, 'user' as const),
    }),
    fc.record({ do: fc.constant('rotate' as const), value: fc.constantFrom('1', '2') }),
    fc.record({ do: fc.constant('forget' as const) }),
  ),
  { minLength: 1, maxLength: 5 },
);

async function play({ api }: TestNamespace, step: Step): Promise<void> {
  const copy = await api.find(secret, 'one-url');
  if (step.do === 'user') {
    const { data } = userSecret('user', step.value);
    await ((await api.find(secret, 'user'))
      ? api.patch(secret, 'user', { data })
      : api.create(secret, 'user', { data }));
  } else if (step.do === 'rotate') {
    await api.patch(vault, 'one', { spec: { rotation: step.value } });
  } else if (step.do === 'remove') {
    if ((await api.find(secret, step.name)) !== undefined) await api.remove(secret, step.name);
  } else if (copy !== undefined) {
    const patch =
      step.do === 'forget'
        ? { metadata: { managedFields: [{}] } }
        : { data: { [step.key]: step.value === null ? null : base64(step.value) } };
    await api.patch(secret, 'one-url', patch);
  }
}

/** Passes on every request, and keeps the bodies of all that are not about Secrets. */
function overheard(cluster: Cluster, said: unknown[]): Cluster {
  return {
    ...cluster,
    withTimeout: (ms) => overheard(cluster.withTimeout(ms), said),
    apply(type, manifest, as) {
      const { data: _, ...rest } = manifest;
      said.push(type.kind === 'Secret' ? rest : manifest, as);
      return cluster.apply(type, manifest, as);
    },
    create(type, manifest) {
      said.push(manifest);
      return cluster.create(type, manifest);
    },
    patch(type, key, patch) {
      if (type.kind !== 'Secret') said.push(patch);
      return cluster.patch(type, key, patch);
    },
  };
}

test(
  'values of Secrets in templates appear in no plan, log, status, Event, recording or other object',
  () =>
    fc.assert(
      fc.asyncProperty(value, steps, async (first, script) => {
        const ground = await testbed.open();
        lines.length = 0;
        const said: unknown[] = [];
        const secrets = new Set<string>();
        const learn = async (): Promise<void> => {
          for (const { data } of await ground.api.list(secret))
            for (const [key, text] of Object.entries((data ?? {}) as Record<string, string>))
              if (key !== 'host' || text !== base64('db'))
                secrets.add(Buffer.from(text, 'base64').toString());
        };
        let last: Cluster | undefined;
        const run = async (): Promise<void> => {
          await learn();
          if (last !== undefined)
            said.push(await planOn(last, [vault], (line) => lines.push(line)));
          const recorder = new Recorder('salt');
          await ground.run({
            through(port) {
              last = port;
              return overheard(recorder.through(port), said);
            },
          });
          said.push(recorder.lines);
          await learn();
        };
        try {
          await play(ground, { do: 'user', value: first });
          await ground.api.create(vault, 'one', { spec: { user: 'user' } });
          for (let passes = 0; passes < 3; passes++) await run();
          for (const step of script) {
            await play(ground, step);
            await run();
          }
          const objects = [vault, eventType].map((type) => ground.api.list(type));
          const told = JSON.stringify([said, lines, ...(await Promise.all(objects))]);
          expect(secrets.size).toBeGreaterThan(2);
          for (const form of [...secrets].flatMap(formsOf))
            expect(told.includes(form), form).toBe(false);
          const url = (await ground.api.find(secret, 'one-url'))?.data as { url?: string };
          const user = (await ground.api.find(secret, 'user'))?.data as
            | { name: string }
            | undefined;
          const name = user && encodeURIComponent(Buffer.from(user.name, 'base64').toString());
          if (name !== undefined)
            expect(Buffer.from(url.url ?? '', 'base64').toString()).toContain(`db://${name}:`);
        } finally {
          await ground.close();
        }
      }),
      effort(60),
    ),
  testTimeoutMs,
);
