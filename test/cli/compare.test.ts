import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineKind, deployment, Type } from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { kind, versionOf } from '../properties/rollout-fleet.ts';
import { isWriteRequest } from '../reconcile/engine.ts';
import { type CliGround, type How, openCliGround } from './command-runner.ts';

let ground: CliGround;
let ahead = 0;
const clock = (): Date => new Date(Date.now() + ahead);
beforeAll(async () => {
  ground = await openCliGround({ kinds: [kind], clock });
});
afterAll(() => ground.stop());

const v2 = versionOf('v2');

async function settled(): Promise<void> {
  const { controllers } = ground.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

/** Creates two resources and makes them Ready with the deployed version. */
beforeEach(async () => {
  const { api, cluster } = ground;
  for (const type of [kind, deployment])
    for (const { metadata } of await api.list(type)) await api.remove(type, metadata.name);
  for (const name of ['a', 'b']) await api.create(kind, name, { spec: {} });
  await resync();
  await settled();
  await resync();
  cluster.requests.reset();
});

const resync = () => ground.run(['resync'], { kinds: [kind] });
const compare = (argv: readonly string[] = [], how: How = {}) =>
  ground.run(['compare', ...argv], { kinds: [v2], ...how });
const writes = () => ground.cluster.requests.list().filter(isWriteRequest);

interface Found {
  readonly agreed: boolean;
  readonly checks: number;
  readonly pending: readonly string[];
  readonly codeChanges: { readonly resources: number; readonly first: readonly object[] };
}
const found = async (argv: readonly string[] = [], how: How = {}) => {
  const { code, out } = await compare([...argv, '-o', 'json'], how);
  return { code, ...(JSON.parse(out) as Found) };
};

const failing: Kind = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Fleet',
  plural: 'fleets',
  spec: Type.Object({ size: Type.Integer({ default: 1 }) }),
  samples: [{ name: 'sample', spec: {} }],
  owns: [deployment],
  children({ name }) {
    if (name !== 'sample') throw new Error('no image for fleets');
    return [];
  },
});

describe('compare, once,', () => {
  it('finds no difference between the deployed version and itself', async () => {
    const { code, out, err } = await compare([], { kinds: [kind] });
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^Cluster http:\S+, context local\n$/),
    });
    expect(out).toMatch(/^No difference in 2 resources since .*Z, 1 check\.\n$/);
  });

  it('shows the changes of the code and their impact, and writes nothing', async () => {
    const { code, out, err } = await compare();
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringMatching(/^Cluster http:\S+, context local\n$/),
    });
    expect(out).toContain('fleets.example.org default/a   update   Deployment default/a');
    expect(out).toContain('spec.template.spec.containers');
    expect(out).toContain('→ restarts pods');
    expect(out).toContain('The versions differ in 2 of 2 resources; restarts pods: 2.');
    expect(writes()).toEqual([]);
  });

  it('omits changes that the deployed version makes, too', async () => {
    await ground.api.scale(deployment, 'a', 5);
    await ground.api.patch(kind, 'b', { spec: { size: 3 } });
    const { code, pending, codeChanges } = await found([], { kinds: [kind] });
    expect({ code, pending, resources: codeChanges.resources }).toEqual({
      code: 3,
      pending: ['fleets.example.org default/a', 'fleets.example.org default/b'],
      resources: 0,
    });
  });

  it('counts resources that it cannot judge yet', async () => {
    await ground.api.scale(deployment, 'a', 5);
    const { code, out } = await compare([], { kinds: [kind] });
    expect(code).toBe(3);
    expect(out).toMatch(/fleets.example.org default\/a +pending +the deployed code has yet to act/);
    expect(out).toMatch(/\nNo difference in 1 of 2 resources since .*Z, 1 check; 1 pending\.\n$/);
  });

  it('counts resources that it cannot judge yet beside differences', async () => {
    await ground.api.patch(kind, 'a', { spec: { size: 3 } });
    const { code, out } = await compare();
    expect(code).toBe(3);
    expect(out).toContain('The versions differ in 1 of 2 resources; restarts pods: 1; 1 pending.');
    expect(await found()).toMatchObject({ unsettled: 1 });
  });

  it('counts resources that wait for a rollout of the deployed version', async () => {
    await ground.run(['resync'], { kinds: [v2], env: { ROLLOUT_BUDGET: '1' } });
    const { code, out } = await compare();
    expect(code).toBe(3);
    expect(out).toContain(
      'A rollout of the deployed version still has to change 1 of these resources.',
    );
  });

  it('shows the deletions that a run would withhold', async () => {
    const childless: Kind = { ...v2, desired: () => [] };
    const { codeChanges } = await found([], { kinds: [childless], env: { PRUNE_LIMIT: '0' } });
    expect(codeChanges.first).toMatchObject([
      { verb: 'delete', child: 'Deployment default/a' },
      { verb: 'delete', child: 'Deployment default/b' },
    ]);
  });

  it('shows a kind that fails', async () => {
    const { code, codeChanges } = await found([], { kinds: [failing] });
    expect(code).toBe(3);
    expect(codeChanges).toMatchObject({
      resources: 2,
      first: [
        {
          key: 'fleets.example.org default/a',
          message: expect.stringContaining('no image for fleets'),
        },
        {},
      ],
    });
  });

  it('fails if a kind cannot be read', async () => {
    const other = { ...v2, plural: 'ships', kind: 'Ship' };
    const { code, out, err } = await compare([], { kinds: [other] });
    expect({ code, out }).toEqual({ code: 1, out: 'Nothing could be compared.\n' });
    expect(err).toContain('ships.example.org could not be compared');
  });

  it('compares only what was requested', async () => {
    const { code, out } = await compare(['-n', 'elsewhere']);
    expect({ code, out }).toEqual({ code: 0, out: 'No resources found.\n' });
  });
});

describe('compare, repeatedly,', () => {
  /** Runs `act`, such as a resync of the deployed version, while the command waits. */
  const beside = (act: (checks: number) => Promise<unknown>): How => {
    let waits = 0;
    return {
      kinds: [kind],
      wait: async (ms) => {
        ahead += ms;
        await act(++waits);
      },
    };
  };

  it('ends once the two versions have agreed for the given time', async () => {
    const { code, agreed, checks } = await found(
      ['--for', '2m', '--every', '30s'],
      beside(async () => undefined),
    );
    expect({ code, agreed, checks }).toEqual({ code: 0, agreed: true, checks: 5 });
  });

  it('counts a pending resource from the check that shows it settled', async () => {
    await ground.api.scale(deployment, 'a', 5);
    const settle = beside((waits) => (waits === 2 ? resync() : Promise.resolve()));
    const { code, out, err } = await compare(['--for', '1m'], settle);
    expect(code).toBe(0);
    expect(out).toContain('No difference in 2 resources');
    const [, ...checks] = err.split('\n');
    expect(checks.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'versions agree, except for 1 resource that a run still has to change',
      'versions agree',
      '',
    ]);
  });

  it('names the resources that never settle, and gives up', async () => {
    await ground.api.scale(deployment, 'a', 5);
    const { code, agreed, checks, pending } = await found(
      ['--for', '1m', '--timeout', '2m'],
      beside(async () => undefined),
    );
    expect({ code, agreed, checks }).toEqual({ code: 3, agreed: false, checks: 5 });
    expect(pending).toEqual(['fleets.example.org default/a']);
  });

  it.each([
    { argv: ['--for', 'soon'], says: '--for: "soon" is not an interval' },
    { argv: ['--every', '0s'], says: '--every: "0s" is not an interval' },
    { argv: ['--every', '5s'], says: '--every needs --for' },
    { argv: ['--timeout', '5m'], says: '--timeout needs --for' },
    {
      argv: ['--for', '30m', '--timeout', '5m'],
      says: '--timeout 5m is shorter than --for 30m',
    },
    { argv: ['--for', '1m', '--timeout', '2 m'], says: '--timeout: "2 m" is not an interval' },
  ])('refuses $argv', async ({ argv, says }) => {
    const { code, err } = await compare(argv);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});

describe('a dry run', () => {
  it('with another version reports the changes that only its code makes', async () => {
    const how = { kinds: [v2], env: { DRY_RUN: 'true' } };
    await ground.api.patch(kind, 'b', { spec: { size: 3 } });
    ground.cluster.requests.reset();
    const { out } = await ground.run(['resync', '-o', 'json'], how);
    const key = 'fleets.example.org default/a';
    const child = 'Deployment default/a';
    expect(JSON.parse(out)).toMatchObject({
      undone: [key, 'fleets.example.org default/b'],
      codeChanges: {
        resources: 1,
        children: 1,
        impact: { restart: 1 },
        unplanned: 0,
        first: [{ key, verb: 'update', child, impact: ['restart'] }],
      },
    });
    expect(writes()).toEqual([]);
  });
});
