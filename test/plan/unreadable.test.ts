import { describe, expect, it } from 'vitest';
import type { FieldsV1, KubeObject, ManagedFieldsEntry } from '../../shared/kubernetes.ts';
import { patternsOf } from '../../shared/plan/exposure/exposing-child.ts';
import {
  openMeter,
  openPool,
  type Pool,
  PostponedError,
  requireShallow,
  UnreadableError,
} from '../../shared/plan/observed/unreadable.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { nested } from '../properties/hostile-objects.ts';
import { casesOf } from '../support/cases.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { containerAppIngress } from '../support/children-of-container-app.ts';
import { planOf } from '../support/decisions.ts';
import { observeChild } from '../support/observe.ts';
import { createdAt, website } from '../support/resources.ts';

const deep = nested(9_000) as FieldsV1;
const ours = { manager: 'serverless-reconciler', operation: 'Apply' } as const;
const old = { manager: 'before-first-apply', operation: 'Update' } as const;

const holding = (
  by: Pick<ManagedFieldsEntry, 'manager' | 'operation'>,
  fieldsV1: unknown,
): ManagedFieldsEntry => ({
  ...by,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fieldsV1 as FieldsV1,
});

const withManagers = (managedFields: unknown, over: object = {}): KubeObject =>
  ({
    ...websiteDeployment({ metadata: { managedFields: managedFields as never } }),
    ...over,
  }) as KubeObject;

const whole = { 'f:spec': {} };
const longName = 'e'.repeat(400_000);
const manyFields = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f:u${at}`, {}]));

const unreadable: Record<string, { reason: string; live: KubeObject; why: RegExp }> = {
  Deep: {
    reason: 'fields that move from an old entry to ours are counted',
    live: withManagers([holding(ours, deep), holding(old, deep)]),
    why: /^its managedFields are nested deeper than 64 levels/,
  },
  DeepBeside: {
    reason: 'a malformed entry prevents consolidation, which would send it back',
    live: withManagers([
      holding(ours, whole),
      holding(old, whole),
      holding({ manager: 'x', operation: 'Apply' }, deep),
    ]),
    why: /nested deeper than 64 levels/,
  },
  DeepForeign: {
    reason: 'no server stores fields this deep, whoever names them',
    live: withManagers([holding({ manager: 'x', operation: 'Apply' }, deep)]),
    why: /nested deeper than 64 levels/,
  },
  ManyManagers: {
    reason: 'the cost of a text is multiplied by its managers',
    live: withManagers(
      Array.from({ length: 2_000 }, () => holding({ manager: 'x', operation: 'Apply' }, whole)),
      { spec: { text: 'x'.repeat(100_000) } },
    ),
    why: /more time and memory/,
  },
  LongPaths: {
    reason: 'the cost of a long name is multiplied by the fields below it',
    live: withManagers([holding(ours, { 'f:spec': { [`f:${longName}`]: manyFields } })], {
      spec: { [longName]: {} },
    }),
    why: /more time and memory/,
  },
  NoEntries: {
    reason: 'an entry that no server stores is refused',
    live: withManagers([null]),
    why: /^it cannot be parsed/,
  },
};

describe('an unreadable object', () => {
  it.each(casesOf(unreadable))('C-11 %s', (_, { live, why }) => {
    const started = performance.now();
    const observed = observeChild(live);
    expect(observed.unreadable).toMatch(why);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(observed).toMatchObject({ name: 'website-sample', ours: undefined, others: [] });
    expect(observed).toMatchObject({ legacy: false, readiness: { state: 'Current' } });
    expect(observed.unreadable).toContain(
      'clear its metadata.managedFields (set it to [{}]), or delete the Deployment to have it recreated',
    );
    expect(observed).not.toHaveProperty('postponed');
  });

  it.each([
    ['malformed keys', [holding(ours, { 'f:spec': { 'f:x': { 'k:{': {}, 'k:null': {} } } })]],
    ['no fields', [holding(ours, undefined), holding(old, null)]],
  ])('C-11 is readable with %s', (_, managedFields) => {
    expect(observeChild(withManagers(managedFields)).unreadable).toBe(undefined);
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const by = (count: number, fieldsV1: unknown) =>
  numbers(count).map(() => holding({ manager: 'x', operation: 'Apply' }, fieldsV1));

describe('the search of a list takes bounded time, however many managers it has:', () => {
  const inContainers = (fields: unknown) => ({
    'f:spec': { 'f:template': { 'f:spec': { 'f:containers': fields } } },
  });
  const env = numbers(31_000).map((at) => ({ name: `e${at}` }));
  const template = { spec: { containers: [{ name: 'nginx', env }] } };

  it.each<[string, KubeObject]>([
    [
      'a list of values',
      withManagers(by(2_000, { 'f:metadata': { 'f:finalizers': { 'v:"x"': {} } } }), {
        metadata: {
          ...websiteDeployment().metadata,
          finalizers: numbers(10_000).map((at) => `example.com/${at}`),
          managedFields: by(2_000, { 'f:metadata': { 'f:finalizers': { 'v:"x"': {} } } }),
        },
      }),
    ],
    [
      'a list of maps whose entries name them as values',
      withManagers(by(4_000, inContainers({ 'v:1': {} })), { spec: { template } }),
    ],
    [
      'a list of maps with keys',
      withManagers(
        by(
          40,
          inContainers({
            'k:{"name":"nginx"}': { 'f:env': { 'k:{"name":"e7"}': { '.': {} } } },
          }),
        ),
        { spec: { template } },
      ),
    ],
  ])('C-11 %s', (_, live) => {
    const { user } = process.threadCpuUsage();
    expect(observeChild(live).name).toBe(live.metadata.name);
    expect(process.threadCpuUsage().user - user).toBeLessThan(1_000_000);
  });
  it.each(['v', 'f'])('C-11 items of one key whose entry has many names %s:…', (form) => {
    const names = Object.fromEntries(numbers(10_000).map((at) => [`${form}:${at}`, {}]));
    const inItem = { 'k:{"name":"x"}': { 'f:args': names } };
    const containers = numbers(4_000).map(() => ({ name: 'x', args: ['a'] }));
    const fields = by(1, inContainers(inItem));
    const live = withManagers(fields, { spec: { template: { spec: { containers } } } });
    const { user } = process.threadCpuUsage();
    expect(observeChild(live).unreadable).toContain('more time');
    expect(process.threadCpuUsage().user - user).toBeLessThan(1_000_000);
  });
});

describe('objects read from one pool', () => {
  const costly = withManagers(by(10, whole), {
    spec: { strings: Array(100).fill('x'.repeat(1000)) },
  });
  const honest = websiteDeployment();

  it('C-11 cost no more than its size, and those that exceed it are marked as postponed', () => {
    const pool = openPool(5_000_000);
    const read = numbers(1_000).map(() => observeChild(costly, { pool }));
    expect(read.filter(({ unreadable }) => unreadable === undefined)).toHaveLength(5);
    expect(read.at(-1)).toMatchObject({ postponed: true, name: 'website-sample' });
    expect(read.at(-1)?.unreadable).toMatch(
      /^the managedFields of this and other objects together/,
    );
    expect(read.at(-1)?.unreadable).not.toContain('clear its');
    expect(observeChild(costly).unreadable).toBe(undefined);
  });

  it('C-11 are always read if they are of ordinary size', () => {
    expect(observeChild(honest, { pool: openPool(0) })).toEqual(observeChild(honest));
  });

  it('C-11 are not postponed if they are too large for any pool', () => {
    const { live } = unreadable.ManyManagers!;
    expect(observeChild(live, { pool: openPool(5_000_000) })).not.toHaveProperty('postponed');
  });
});

describe('the memory meter of an object', () => {
  /** Builds a pool that records what is taken from it. */
  function noting(isLeft = true) {
    const taken: number[] = [];
    const pool: Pool = (steps) => {
      taken.push(steps);
      return isLeft;
    };
    return { pool, taken };
  }
  const thrownBy = (act: () => void): unknown => {
    try {
      act();
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const most = 2_000_000;

  it('takes from the pool only beyond the free amount, and at most the maximum for an object', () => {
    const { pool, taken } = noting();
    const spend = openMeter(pool);
    spend(20_000);
    expect(taken).toEqual([]);
    spend(1);
    spend(20_000);
    expect(taken).toEqual([1, 20_000]);
    spend(most - 40_001);
    expect(taken).toEqual([1, 20_000, most - 40_001]);
  });

  it('refuses an object that costs too much, and takes nothing from the pool for it', () => {
    const { pool, taken } = noting(false);
    const error = thrownBy(() => openMeter(pool)(most + 1));
    expect(error).toBeInstanceOf(UnreadableError);
    expect(error).not.toBeInstanceOf(PostponedError);
    expect(error).toMatchObject({
      name: 'UnreadableError',
      message: 'its managedFields take more time and memory to read than allowed',
    });
    expect(taken).toEqual([]);
  });

  it('postpones an object if the pool is used up', () => {
    const { pool } = noting(false);
    const error = thrownBy(() => openMeter(pool, 'fields')(20_001));
    expect(error).toBeInstanceOf(PostponedError);
    expect(error).toMatchObject({
      name: 'PostponedError',
      message:
        'the fields of this and other objects together take more time to read than allowed; delete objects that are not needed, or reduce the size of their fields',
    });
  });

  it('uses a pool for one object by default', () => {
    expect(thrownBy(() => openMeter()(most))).toBeUndefined();
  });

  it('allows 64 levels', () => {
    const deepTo = (levels: number): unknown => (levels === 0 ? 1 : { a: deepTo(levels - 1) });
    expect(thrownBy(() => requireShallow(deepTo(64), 'it is'))).toBeUndefined();
    expect(thrownBy(() => requireShallow(deepTo(66), 'it is'))).toMatchObject({
      message: 'it is nested deeper than 64 levels',
    });
  });

  it('takes from a pool at most the rest', () => {
    const take = openPool(10);
    expect([take(11), take(4), take(7), take(6), take(1)]).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });
});

it('G-3 an unreadable Ingress counts with the paths that it serves', () => {
  const managedFields = [holding(ours, deep), holding(old, deep)];
  const observed = observeChild(containerAppIngress({ metadata: { managedFields } }));
  expect(observed.unreadable).toBeDefined();
  expect(patternsOf(observed)).toEqual(patternsOf(observeChild(containerAppIngress())));
});

const { live: hidden } = unreadable.Deep!;
const asUnwanted = (over: object = {}): KubeObject => ({
  ...hidden,
  metadata: { ...hidden.metadata, name: 'old', ...over },
});

describe('a plan about an unreadable child', () => {
  const verbs = (...live: readonly KubeObject[]) => {
    const planned = planOf(websiteKind, website(), { live });
    if (planned.state !== 'planned') throw new Error(planned.state);
    return [...planned.decisions, ...planned.deletions].map((one) => [
      one.verb,
      one.child.name,
      'reason' in one ? one.reason : undefined,
    ]);
  };

  it('C-11 neither writes nor deletes it, and continues with the others', () => {
    const drifted = websiteService({ spec: { type: 'ClusterIP' } as never });
    expect(verbs(hidden, drifted, asUnwanted())).toEqual([
      ['block', 'website-sample', 'UnreadableChild'],
      ['update', 'website-sample', undefined],
      ['block', 'old', 'UnreadableChild'],
    ]);
  });

  it('C-6 reports a foreign child as foreign', () => {
    const foreign = { ...hidden, metadata: { ...hidden.metadata, ownerReferences: [] } };
    expect(verbs(foreign, websiteService())[0]).toEqual([
      'block',
      'website-sample',
      'ErrResourceExists',
    ]);
  });

  it('C-13 waits for a child that is being deleted', () => {
    const deleting = asUnwanted({ deletionTimestamp: createdAt });
    expect(verbs(websiteDeployment(), websiteService(), deleting)[2]).toEqual([
      'wait',
      'old',
      'ChildDeleting',
    ]);
  });

  it('C-6 ignores children in another namespace', () => {
    const elsewhere = websiteDeployment({ metadata: { namespace: 'other' } });
    expect(verbs(elsewhere, websiteService())[0]?.slice(0, 1)).toEqual(['create']);
    expect(
      verbs(websiteDeployment(), websiteService(), {
        ...elsewhere,
        metadata: { ...elsewhere.metadata, name: 'old' },
      }),
    ).toHaveLength(2);
  });
});
