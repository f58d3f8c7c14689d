import { describe, expect, it } from 'vitest';
import { statusApplyOf } from '../../shared/plan/observed/observed-resource.ts';
import { isUnderWay, readMark } from '../../shared/plan/observed/rollout-mark.ts';

const time = '2026-11-22T10:00:00Z';
const later = '2026-11-22T10:05:00Z';
const manager = 'reconciler-rollout';
const condition = {
  type: 'RolloutPending',
  status: 'True',
  reason: 'Waiting',
  message: '',
  lastTransitionTime: time,
};
const mark = { reason: 'Waiting', since: later, statusSince: time, target: undefined } as const;
const held = { '.': {}, 'f:type': {}, 'f:status': {}, 'f:reason': {}, 'f:message': {} };
const whole = { ...held, 'f:lastTransitionTime': {}, 'f:observedGeneration': {} };
const entryOf = (manager: string, fields: object = whole, over: object = {}) => ({
  manager,
  operation: 'Apply',
  subresource: 'status',
  time: later,
  fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"RolloutPending"}': fields } } },
  ...over,
});
const ours = [entryOf('x', { 'f:reason': {} }), entryOf(manager)];

const read = (status: unknown, entries: unknown) =>
  readMark(status, statusApplyOf(entries, manager));

describe('readMark', () => {
  it.each([
    ['returns no mark without a status', undefined],
    ['returns no mark without conditions', {}],
    ['returns no mark if the conditions are not a list', { conditions: 'x' }],
    ['returns no mark for malformed conditions', { conditions: [null, 5, []] }],
    ['returns no mark for another condition', { conditions: [{ ...condition, type: 'Ready' }] }],
  ])('%s', (_, status) => {
    expect(read(status, ours)).toBeUndefined();
  });

  it.each([
    [
      'returns no mark with an unknown reason',
      { conditions: [{ ...condition, reason: 'Why' }] },
      undefined,
      0,
    ],
    [
      'returns no mark with an invalid time',
      { conditions: [{ ...condition, lastTransitionTime: 'soon' }] },
      undefined,
      0,
    ],
    ['returns the mark', { conditions: [condition] }, mark, 0],
    [
      'returns the mark after other conditions',
      { conditions: [{ type: 'A' }, condition] },
      mark,
      1,
    ],
  ])('%s', (_, status, want, at) => {
    expect(read(status, ours)).toEqual({ at, mark: want });
  });

  it("takes the server's time from our managedFields entry", () => {
    const found = read({ conditions: [condition] }, [entryOf('x'), entryOf(manager)]);
    expect(found?.mark).toEqual(mark);
  });

  const { 'f:reason': _, ...withoutReason } = whole;
  it.each<[string, unknown]>([
    ['nobody', undefined],
    ['another manager', [entryOf('kubectl')]],
    [
      'partly by another manager',
      [entryOf('kubectl', { 'f:reason': {} }), entryOf(manager, withoutReason)],
    ],
    ['us without a time', [entryOf(manager, held)]],
    ['an update under our name', [entryOf(manager, whole, { operation: 'Update' })]],
    ['an apply that was not to the status', [entryOf(manager, whole, { subresource: undefined })]],
    ['a malformed entry', [null, 5, { manager, operation: 'Apply', fieldsV1: 'x' }]],
  ])('ignores a condition that is held by %s', (_, entries) => {
    expect(read({ conditions: [condition] }, entries)).toEqual({
      at: 0,
      mark: undefined,
    });
  });

  describe('the target', () => {
    const status = { conditions: [condition], rolloutTarget: '0123456789-_' };
    const holding = (by: string) =>
      entryOf(by, whole, {
        fieldsV1: {
          'f:status': {
            'f:conditions': { 'k:{"type":"RolloutPending"}': whole },
            'f:rolloutTarget': {},
          },
        },
      });

    it('is read if our managedFields entry holds it together with the mark', () => {
      const found = read(status, [holding(manager)]);
      expect(found?.mark?.target).toBe('0123456789-_');
    });

    it('is ignored if another manager holds it', () => {
      const others = entryOf(
        'kubectl',
        {},
        { fieldsV1: { 'f:status': { 'f:rolloutTarget': {} } } },
      );
      const found = read(status, [entryOf(manager), others]);
      expect(found?.mark).toEqual(mark);
    });

    it("is not read from the condition's message", () => {
      const message = 'being changed (0123456789-_)';
      const found = read({ conditions: [{ ...condition, message }] }, [holding(manager)]);
      expect(found?.mark).toEqual(mark);
    });
  });
});

it.each([
  ['RollingOut', true],
  ['RolloutHalted', true],
  ['Starting', false],
  ['Waiting', false],
  ['RolledOut', false],
] as const)('the mark %s means that the resource is being rolled out: %s', (reason, want) => {
  expect(isUnderWay({ ...mark, reason })).toBe(want);
});
