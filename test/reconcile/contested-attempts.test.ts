import { beforeEach, describe, expect, it } from 'vitest';
import { defaultIdentity } from '../../shared/identity.ts';
import { keyOf, titleOf } from '../../shared/kubernetes.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import type { Repair } from '../../shared/plan/drift/contest.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { fightDetectorFor } from '../../shared/resource/contested.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { decision, ref } from '../support/decisions.ts';
import { observeResource } from '../support/observe.ts';
import { foo as live } from '../support/resources.ts';
import type { RunParts } from './run-with.ts';

const now = '2026-11-22T12:00:00Z';
const ago = (seconds: number) => new Date(Date.parse(now) - seconds * 1000).toISOString();
const child = ref('Deployment', 'a');
const difference = (time = ago(1)) => ({
  path: 'spec.replicas',
  from: 5,
  to: 1,
  writer: { manager: 'kubectl', time },
});
const lock = { uid: 'u', resourceVersion: '1' };
const body = { fields: {}, lock, handOver: undefined };
const decisions = {
  none: decision('Deployment', 'a', { verb: 'none' }),
  lost: decision('Deployment', 'a', { verb: 'create', fields: {}, lost: true }),
  created: decision('Deployment', 'a', { verb: 'create', fields: {}, lost: false }),
  update: decision('Deployment', 'a', { verb: 'update', ...body, differences: [difference()] }),
  consolidate: decision('Deployment', 'a', { verb: 'consolidate', lock }),
  delete: decision('Deployment', 'a', { verb: 'delete', lock }),
  withdraw: decision('Deployment', 'a', {
    verb: 'withdraw',
    lock,
    difference: { ...difference(), to: [] },
  }),
} satisfies Record<string, Decision>;

interface Given {
  readonly decisions?: readonly Decision[];
  readonly exposures?: readonly Decision[];
  readonly deletions?: readonly Decision[];
  readonly run?: Partial<RunParts>;
  readonly repairs?: readonly Repair[];
  readonly resource?: Partial<World['resource']>;
  readonly observed?: Partial<ObservedChild>;
}

let asked: string[];
beforeEach(() => {
  asked = [];
});

const repaired: Repair = { message: `${titleOf(child)}: was gone, created again`, time: ago(10) };
/** Gives the attempt, and the reason if it is left to the next resync. */
async function detect({ run, repairs = [], resource, observed, ...plan }: Given) {
  const given = { ...observeResource(live()), ...resource };
  const about = { uid: 'u', ours: { time: ago(10) }, others: [], ...observed };
  const world = {
    identity: defaultIdentity,
    kind: foo,
    resource: given,
    children: new Map([[keyOf(child), { ...child, ...about } as unknown as ObservedChild]]),
  } as unknown as World;
  const planned: Plan = {
    state: 'planned',
    wanted: [],
    decisions: [],
    exposures: [],
    deletions: [],
    ...plan,
  };
  const { trigger = 'audit', causes, ...lookups } = run ?? {};
  const whole = {
    clients: { now: () => new Date(now) },
    policy: { trigger, causes },
    lookups: {
      repairs: async (namespace: string) => {
        asked.push(namespace);
        return new Map([[given.uid, repairs]]);
      },
      ...lookups,
    },
  } as unknown as Run;
  return fightDetectorFor(whole, world, planned);
}
const attempt = (
  verb: 'create' | 'update' | 'consolidate' | 'delete',
  observed?: Partial<ObservedChild>,
) => ({
  verb,
  child,
  differences: verb === 'update' ? [difference()] : [],
  observed: observed as ObservedChild | undefined,
});

describe('a fight is not looked for', () => {
  const lost = [decisions.lost];
  it.each<{ readonly reason: string; readonly given: Given }>([
    { reason: 'by a resync', given: { decisions: lost, run: { trigger: 'resync' } } },
    {
      reason: 'for a generation that no run has tried',
      given: { decisions: lost, resource: { generation: 99 } },
    },
    { reason: 'if nothing is written', given: { decisions: [decisions.none] } },
    { reason: 'for a new child', given: { decisions: [decisions.created] } },
    { reason: 'for a withdrawal of paths', given: { exposures: [decisions.withdraw] } },
  ])('$reason', async ({ given }) => {
    expect(await detect(given)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('without a plan', async () => {
    const world = { resource: observeResource(live()) } as World;
    const run = { policy: { trigger: 'audit' } } as Run;
    expect(await fightDetectorFor(run, world, { state: 'suspended' })).toBeUndefined();
  });
});

describe('our Events are read', () => {
  it.each<{ readonly reason: string; readonly given: Given; readonly want: boolean }>([
    { reason: 'for a lost child', given: { decisions: [decisions.lost] }, want: true },
    {
      reason: 'for a lost child that exposes paths',
      given: { exposures: [decisions.lost] },
      want: true,
    },
    {
      reason: 'for a lost child that is to be deleted',
      given: { deletions: [decisions.lost] },
      want: true,
    },
    {
      reason: 'for a change soon after our write',
      given: { decisions: [decisions.update] },
      want: true,
    },
    {
      reason: 'for a change long after our write',
      given: { decisions: [decisions.update], observed: { ours: { time: ago(60) } as never } },
      want: false,
    },
    { reason: 'for a deletion', given: { deletions: [decisions.delete] }, want: false },
    {
      reason: 'for a consolidation of managedFields',
      given: { decisions: [decisions.consolidate] },
      want: false,
    },
    {
      reason: 'if one of several writes needs it',
      given: { decisions: [decisions.consolidate, decisions.lost] },
      want: true,
    },
  ])('$reason: $want', async ({ given, want }) => {
    expect(await detect(given)).toBeDefined();
    expect(asked).toEqual(want ? ['default'] : []);
  });

  it('in the default namespace for a cluster-scoped resource', async () => {
    await detect({ decisions: [decisions.lost], resource: { namespace: '' } });
    expect(asked).toEqual(['default']);
  });
});

describe('a write', () => {
  const isLeft = async (given: Given, verb: Parameters<typeof attempt>[0] = 'create') => {
    const found = await detect(given);
    return found?.(attempt(verb, { ours: undefined, others: [], ...given.observed }))?.reason;
  };

  it('is left to a resync if one of our Events says so', async () => {
    const repairs = [repaired];
    expect(await isLeft({ decisions: [decisions.lost], repairs })).toBe('Contested');
    expect(await isLeft({ decisions: [decisions.lost] })).toBeUndefined();
    const later = { message: repaired.message, time: ago(31) };
    expect(await isLeft({ decisions: [decisions.lost], repairs: [later] })).toBeUndefined();
  });

  it('is left to a resync even if the status has no condition', async () => {
    const { generation } = observeResource(live());
    const resource = { generation, status: { observedGeneration: generation } };
    const given = { decisions: [decisions.lost], repairs: [repaired], resource };
    expect(await isLeft(given)).toBe('Contested');
  });

  it('is not left to a resync if the Events are about another resource', async () => {
    const run: Partial<RunParts> = { repairs: async () => new Map([['other', [repaired]]]) };
    expect(await isLeft({ decisions: [decisions.lost], run })).toBeUndefined();
  });

  it('names the user in the audit log', async () => {
    const cause = { kind: 'Deployment', namespace: 'default', name: 'a', agent: undefined };
    const causes = [{ ...cause, verb: 'delete', user: 'jane', time: ago(5) }];
    const found = await detect({
      decisions: [decisions.lost],
      repairs: [repaired],
      run: { causes },
    });
    expect(found?.(attempt('create'))?.message).toBe(
      'Deployment a is deleted again and again by jane; created only by the scheduled resync',
    );
  });

  it('of managedFields is left to a resync, or to a request message of one', async () => {
    const given = { decisions: [decisions.consolidate] };
    expect(await isLeft(given, 'consolidate')).toBe('Contested');
    expect(await isLeft({ ...given, run: { trigger: 'scope' } }, 'consolidate')).toBeUndefined();
  });

  it('that an earlier run left to a resync is carried out by a request message', async () => {
    const message = 'Deployment a is deleted again and again; created only by the scheduled resync';
    const { generation } = observeResource(live());
    const condition = { type: 'Ready', status: 'False', reason: 'Contested', message };
    const given = (over: object, statusTime = ago(60)): Given => ({
      decisions: [decisions.lost],
      repairs: [repaired],
      run: { trigger: 'scope' },
      resource: {
        statusTime,
        generation,
        status: {
          observedGeneration: generation,
          conditions: [{ ...condition, observedGeneration: generation, ...over }],
        } as never,
      },
    });
    expect(await isLeft(given({}))).toBeUndefined();
    expect(await isLeft(given({}, ago(5)))).toBe('Contested');
    expect(await isLeft(given({ type: 'Other' }))).toBe('Contested');
    expect(await isLeft(given({ observedGeneration: generation - 1 }))).toBe('Contested');
  });

  it('of a value in our own entry is carried out, however young the entry is', async () => {
    const held = { ...difference(), writer: undefined };
    const observed = { ...child, type: { exposure: undefined }, ours: { time: ago(5) } } as never;
    const found = await detect({ decisions: [decisions.consolidate] });
    expect(found?.({ verb: 'update', child, observed, differences: [held] })).toBeUndefined();
  });
});
