import { describe, expect, it } from 'vitest';
import { keyOf } from '../../shared/kubernetes.ts';
import {
  appliedTo,
  comparedWithRecord,
  recordFor,
} from '../../shared/plan/decision/apply-records.ts';
import { type Applied, recordText } from '../../shared/plan/observed/applied.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import { fooDeployment } from '../support/children.ts';
import { observeChild } from '../support/observe.ts';
import { unexplored } from '../support/unexplored.ts';

const child = observeChild(fooDeployment());
const fields = { spec: { replicas: 1 } };
const record: Applied = {
  uid: 'abcdef01',
  generation: 3,
  desired: 'aaaaaaaaaaaa',
  stored: 'bbbbbbbbbb-_',
};

describe('appliedTo', () => {
  const world = (
    applied: World['resource']['applied'],
    own?: Applied,
  ): Pick<World, 'applied' | 'resource'> => ({
    resource: { applied } as World['resource'],
    applied: new Map(own === undefined ? [] : [[keyOf(child), own]]),
  });
  const mine = { ...record, uid: child.uid.slice(0, 8) };
  it('returns the record of this run, or else that of the status', () => {
    expect(appliedTo(world({ [keyOf(child)]: recordText(mine) }), child)).toEqual(mine);
    const newer = { ...mine, generation: 4 };
    expect(appliedTo(world({ [keyOf(child)]: recordText(mine) }, newer), child)).toEqual(newer);
  });

  it('returns no record of another object of the same name', () => {
    expect(appliedTo(world({ [keyOf(child)]: recordText(record) }), child)).toBeUndefined();
    const { stored: _, ...unknown } = child;
    expect(
      appliedTo(world({ [keyOf(child)]: recordText(mine) }), unknown as ObservedChild),
    ).toBeUndefined();
  });

  it('keeps the generation while the same fields are applied', () => {
    const before = recordFor(child, fields, { generation: 1 });
    expect(recordFor(child, fields, { generation: 3, before })?.generation).toBe(1);
    expect(recordFor(child, { spec: {} }, { generation: 3, before })?.generation).toBe(3);
  });
});

describe('comparedWithRecord: a child', () => {
  const applied = recordFor(child, fields, { generation: 1 })!;
  const worldWith = (own: Applied | undefined) =>
    ({
      ...unexplored,
      resource: {
        generation: 1,
        applied: own === undefined ? {} : { [keyOf(child)]: recordText(own) },
      },
    }) as unknown as World;

  it.each([
    ['whose digests equal its record', applied, true],
    ['whose desired fields differ from its record', { ...applied, desired: 'xxxxxxxxxxxx' }, false],
    ['whose stored values differ from its record', { ...applied, stored: 'xxxxxxxxxxxx' }, false],
    ['without a record', undefined, false],
  ])('%s is unchanged since its apply: %s', (_, own, want) => {
    expect(comparedWithRecord(fields, child, worldWith(own)).isSame).toBe(want);
  });

  it('gets a new record only if the record changes', () => {
    expect(comparedWithRecord(fields, child, worldWith(undefined)).record).toEqual(applied);
    expect(comparedWithRecord(fields, child, worldWith(applied)).record).toBeUndefined();
  });
});
