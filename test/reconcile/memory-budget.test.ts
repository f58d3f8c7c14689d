import { getHeapStatistics } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultIdentity } from '../../shared/identity.ts';
import { weightOf } from '../../shared/json.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import {
  keepChild,
  openMemory,
  overBudget,
  weightOfChild,
} from '../../shared/run/memory-budget.ts';
import { application } from '../../systems/application.ts';
import { effort } from '../properties/runs.ts';
import { websiteService } from '../support/children.ts';
import type { Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const steps = fc.array(
  fc.record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    bytes: fc.integer({ min: 0, max: 600 }),
    closes: fc.boolean(),
  }),
  { maxLength: 60 },
);

describe('the memory budget that runs share', () => {
  it('is never exceeded, and is free again once all runs are closed', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const memory = openMemory(1000, 0);
        const open = [memory('c')];
        const admitted: number[] = [];
        for (const { namespace, bytes, closes } of all) {
          const budget = open.at(-1)!;
          if (closes) open.push(memory('c'));
          else if (budget.admit(namespace, bytes)) admitted.push(bytes);
        }
        expect(admitted.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(1000);
        for (const one of open) one[Symbol.dispose]();
        expect(memory('c').admit('a', 500)).toBe(true);
      }),
      effort(500),
    );
  });

  it('always has room for a small namespace, whatever the others use', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 600_000 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (sizes, others) => {
          const memory = openMemory(1_000_000, 0);
          for (const [at, bytes] of sizes.entries()) memory('c').admit(`n${at % others}`, bytes);
          const left = 1_000_000 / 2 ** others;
          expect(memory('c').admit('quiet', Math.floor(left / 2))).toBe(true);
        },
      ),
      effort(500),
    );
  });

  it('distinguishes namespaces of different clusters', () => {
    const memory = openMemory(1000, 0);
    expect(memory('eu').admit('a', 500)).toBe(true);
    expect(memory('eu').admit('a', 1)).toBe(false);
    expect(memory('us').admit('a', 250)).toBe(true);
  });

  it('always keeps small objects', () => {
    const memory = openMemory(1000, 10);
    while (memory('eu').admit('a', 11));
    expect(memory('eu').admit('a', 10)).toBe(true);
    for (let kept = 0; kept < 200; kept++) expect(memory('eu').admit('b', 10)).toBe(true);
    expect(memory('eu').admit('b', 11)).toBe(false);
  });

  it('keeps 16 KiB of any object, and further objects within 40 % of the heap', () => {
    const empty = openMemory(0)('eu');
    expect(empty.admit('a', 16 * 1024)).toBe(true);
    expect(empty.admit('a', 16 * 1024 + 1)).toBe(false);
    const capacity = 0.4 * getHeapStatistics().heap_size_limit;
    expect(openMemory()('eu').admit('a', Math.floor(capacity / 2))).toBe(true);
    expect(openMemory()('eu').admit('a', Math.ceil(capacity / 2) + 1)).toBe(false);
  });

  it('counts objects that are always kept', () => {
    const memory = openMemory(1000, 0);
    memory('eu').count('a', 900);
    expect(memory('eu').admit('b', 51)).toBe(false);
    expect(memory('eu').admit('b', 50)).toBe(true);
  });

  it('is released in parts, each only once', () => {
    const budget = openMemory(1000, 0)('eu');
    const part = budget.part();
    budget.count('a', 100);
    part.count('a', 300);
    part.count('a', 100);
    expect(budget.admit('a', 1)).toBe(false);
    part[Symbol.dispose]();
    part[Symbol.dispose]();
    expect(budget.admit('a', 401)).toBe(false);
    expect(budget.admit('a', 400)).toBe(true);
    budget[Symbol.dispose]();
    expect(budget.admit('a', 500)).toBe(true);
  });

  it('keeps the identity of a child that does not fit', () => {
    const live = websiteService();
    const child = observeChild(service, live, { identity: defaultIdentity });
    const kept = (bytes: number) => keepChild(openMemory(bytes, 0)('eu'), 'a', child);
    const weight = weightOfChild(child);
    expect(kept(2 * weight)).toBe(child);
    expect(kept(2 * weight - 1)).toMatchObject({
      name: child.name,
      uid: child.uid,
      controller: child.controller,
      ours: undefined,
      others: [],
      facts: {},
      unreadable: overBudget,
    });
  });

  it.each([
    { value: null, want: 16 },
    { value: 7, want: 16 },
    { value: 'abc', want: 16 + 3 },
    { value: 'ÿ', want: 16 + 1 },
    { value: 'Ā', want: 16 + 2 },
    { value: {}, want: 16 + 48 },
    { value: { a: 'b', c: [1] }, want: 4 * 16 + 2 * 48 + 1 },
  ])('counts $value as $want bytes', ({ value, want }) => {
    expect(weightOf(value)).toBe(want);
  });

  it.each([
    { reason: 'a Latin-1 character takes a byte', value: 'x'.repeat(1000), want: 1000 },
    { reason: 'another character takes two', value: '€'.repeat(1000), want: 2000 },
    {
      reason: 'a list is counted at any depth',
      value: JSON.parse(`${'['.repeat(9e4)}${']'.repeat(9e4)}`),
      want: 9e4,
    },
  ])('counts the memory of a value: $reason', ({ value, want }) => {
    expect(weightOf(value)).toBeGreaterThanOrEqual(want);
    expect(weightOf(value)).toBeLessThan(want * 70);
  });
});

describe('a namespace whose objects exceed its part of the memory', () => {
  const engine = useEngine({ controllers: 'paused', memory: openMemory(1_000_000) });

  const born = ({ api }: Place, name: string, greeting = 'hello') =>
    api.create(application, name, { spec: { greeting } });

  /** Builds strings that are too short to be kept as digests. */
  const manyStrings = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, 'x'.repeat(1_000)]));

  it('C-11 is reported and not changed, and the next namespace is reconciled', async () => {
    const [crowded, quiet] = [await engine.place(), await engine.place()];
    for (const name of ['a', 'b', 'c']) await born(crowded, name);
    await engine.run({}, { kinds: [application] });
    const [owned] = await crowded.api.list(secret);
    const { ownerReferences, labels } = owned!.metadata;
    for (let at = 0; at < 8; at++)
      await crowded.api.create(secret, `large-${at}`, {
        metadata: { name: `large-${at}`, ownerReferences, labels },
        data: manyStrings(200),
      } as never);
    await born(quiet, 'q');
    const report = await engine.run({}, { kinds: [application] });
    const messages = report.failures.map(({ message }) => message);
    expect(messages.join()).toMatch(/take more than their share of the function's memory/);
    expect(report.failures.every(({ key }) => key.includes(crowded.namespace))).toBe(true);
    // Objects that fit into memory are ours and unwanted; the run does not know the others.
    const left = await crowded.api.list(secret);
    expect(left.filter(({ metadata }) => metadata.name.startsWith('large')).length).toBeGreaterThan(
      4,
    );
    expect(left.filter(({ metadata }) => !metadata.name.startsWith('large')).length).toBe(3);
    expect((await quiet.api.list(secret)).length).toBe(1);
  });

  it('C-11 may contain many long strings that are up to date', async () => {
    const place = await engine.place([application]);
    for (let at = 0; at < 12; at++) await born(place, `app-${at}`, `${at} ${'x'.repeat(75_000)}`);
    // Repeats the run, because new children are kept in full until they are written, and not all fit into one
    // run.
    while ((await place.api.list(secret)).length < 12) {
      expect((await place.resync()).outcomes.created).toBeGreaterThan(0);
    }
    engine.cluster.requests.reset();
    const report = await place.resync();
    expect(report.failures).toEqual([]);
    expect(place.requests().filter(({ verb }) => verb !== 'list')).toEqual([]);
  });
});
