import { expect, test } from 'vitest';
import { child, configMap, defineKind, job, nameAtMost, Type } from '../../index.ts';
import { titleOf } from '../../shared/kubernetes.ts';
import { createTestEnvironment, expectConverged, expectReliable } from '../../testing/index.ts';
import { openTestEnvironment } from '../../testing/open-test-environment.ts';
import { rehearse } from '../../testing/rehearse.ts';
import { depot } from '../support/finalizing-kind.ts';

test('a kind that cleans up keeps the laws', async () => {
  const { children, warnings } = await expectConverged(depot);
  expect(children).toEqual([
    'Job north-make',
    'ConfigMap north-bucket',
    'ConfigMap north-settings',
  ]);
  expect(warnings).toEqual([]);
});

/** A kind of which only the clean-up follows the spec; `follows: false` ignores it. */
const swept = (follows: boolean) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Swept',
    plural: 'swepts',
    spec: Type.Object({ sweeps: Type.Boolean({ default: true }) }),
    rules: [nameAtMost(40)],
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap],
    children: ({ name }) => [child(configMap, { name, body: {} })],
    finalize: ({ name, spec }) =>
      spec.sweeps || !follows ? [child(configMap, { name: `${name}-swept`, body: {} })] : [],
  });

test('expectReliable accepts a kind of which only the clean-up follows the spec', async () => {
  await expectReliable(swept(true), { seconds: 2, seed: 1 });
});

test('expectReliable finds a field that neither the children nor the clean-up follow', async () => {
  await expect(expectReliable(swept(false), { seconds: 40, seed: 1 })).rejects.toThrow(
    /spec\.sweeps: \d+ edits of this field changed no child, clean-up or status; if it acts .* list it in passedOn/,
  );
});

test('a clean-up that never ends breaks a law, and the error names what it waits for', async () => {
  const stuck = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Stuck',
    plural: 'stucks',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap, job],
    children: ({ name }) => [child(configMap, { name, body: {} })],
    finalize: ({ name }) => [
      child(configMap, { name, body: {}, blocked: { reason: 'Never', message: 'never' } }),
    ],
  });
  await expect(expectConverged(stuck)).rejects.toThrow(
    / still exists, with finalizers \["example\.org\/serverless-reconciler"\]: never/,
  );
});

test('the audit event of a deletion causes a run that begins the clean-up', async () => {
  const env = await createTestEnvironment({ kinds: [depot] }, { controllers: 'paused' });
  try {
    await env.apply(depot, { name: 'north' });
    await env.deliver();
    await env.delete(depot, 'north');
    await env.deliver();
    expect(await env.get(job, 'north-empty')).toBeDefined();
    expect((await env.conditions(depot, 'north')).Ready).toMatchObject({ reason: 'Finalizing' });
  } finally {
    await env.close();
  }
});

test('a run that is resumed on a machine that stalls breaks no law', async () => {
  const opened = await openTestEnvironment({ kinds: [depot] }, { controllers: 'paused' });
  const { env } = opened;
  try {
    await env.apply(depot, { name: 'north' });
    let stalls = 1;
    env.cluster.intercept(async ({ verb, resource }) => {
      if (verb !== 'patch' || resource !== 'jobs' || stalls-- < 1) return;
      const end = performance.now() + 2100;
      while (performance.now() < end);
    });
    const where = { name: 'north', namespace: 'default' };
    const { writes, deviation } = await rehearse({ ...opened, ...where, kind: depot, what: 'it' });
    expect(writes.filter(({ subresource }) => subresource === 'status')).toHaveLength(2);
    expect(deviation).toBeUndefined();
  } finally {
    await env.close();
  }
});

test.each([
  ['the end of its time', 601_000],
  ['its deletion', 1_000],
])('a run sends what its plan says after %s', async (_, ms) => {
  let now = Date.parse('2026-11-26T12:00:00Z');
  const opened = await openTestEnvironment(
    { kinds: [depot] },
    { controllers: 'paused', clock: () => new Date(now) },
  );
  const { env } = opened;
  try {
    const where = { name: 'north', namespace: 'default' };
    const subject = {
      ...opened,
      ...where,
      kind: depot,
      what: titleOf({ kind: 'Depot', ...where }),
    };
    await env.apply(depot, { name: 'north' });
    const begun = await rehearse(subject);
    expect(begun.deviation).toBeUndefined();
    expect(begun.writes[0]).toMatchObject({ resource: 'depots', subresource: '', verb: 'patch' });
    await env.delete(depot, 'north');
    now += ms;
    const ended = await rehearse(subject);
    expect(ended.deviation).toBeUndefined();
    expect(ended.writes.length).toBeGreaterThan(1);
  } finally {
    await env.close();
  }
});
