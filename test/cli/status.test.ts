import { afterAll, beforeAll, expect, it } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { type CliGround, openCliGround } from './command-runner.ts';

const lease = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  spec: Type.Object({ ends: Type.Optional(Type.String({ format: 'date-time' })) }),
  samples: [{ name: 'one', spec: {} }],
  owns: [configMap],
  children({ name, spec: { ends }, isPast }) {
    return ends !== undefined && isPast(ends) ? [] : [child(configMap, { name, body: {} })];
  },
});

let ground: CliGround;
beforeAll(async () => {
  ground = await openCliGround({ kinds: [lease] });
});
afterAll(() => ground.stop());

it('status shows the next time at which children may change, if there is one', async () => {
  const ends = '2999-01-01T00:00:00.000Z';
  await ground.api.create(lease, 'bounded', { spec: { ends } });
  await ground.api.create(lease, 'lasting', { spec: {} });
  await ground.api.create(lease, 'suspended', { spec: { ends } });
  expect(await ground.run(['resync'], { kinds: [lease] })).toMatchObject({ code: 0 });
  const annotations = { 'serverless-reconciler/suspend': 'true' };
  await ground.api.patch(lease, 'suspended', { metadata: { annotations } });
  const { out } = await ground.run(['status', '-o', 'json'], { kinds: [lease] });
  const { resources } = JSON.parse(out) as { resources: { name: string; until?: string }[] };
  expect(resources.map(({ name, until }) => [name, until])).toEqual([
    ['bounded', ends],
    ['lasting', undefined],
    ['suspended', undefined],
  ]);
  const table = await ground.run(['status'], { kinds: [lease] });
  expect(table.out.match(/its children may change at \S+/g)).toEqual([
    `its children may change at ${ends}`,
  ]);
});
