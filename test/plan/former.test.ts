import { describe, expect, it } from 'vitest';
import type { FieldsV1, ManagedFieldsEntry } from '../../shared/kubernetes.ts';
import { underPresentName } from '../../shared/plan/observed/former.ts';
import { UnreadableError } from '../../shared/plan/observed/unreadable.ts';

const entry = (
  manager: string,
  fieldsV1: FieldsV1,
  over: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation: 'Apply',
  apiVersion: 'v1',
  time: '2026-11-22T12:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...over,
});
const later = '2026-11-22T13:00:00Z';
const spec = (...names: readonly string[]): FieldsV1 => ({
  'f:spec': Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
});

interface Case {
  readonly reason: string;
  readonly given: readonly ManagedFieldsEntry[];
  readonly want: readonly ManagedFieldsEntry[];
}

const cases: Record<string, Case> = {
  Alone: {
    reason: 'an entry keeps its time and fields',
    given: [entry('old', spec('a')), entry('kubectl', spec('b'))],
    want: [entry('team-a', spec('a')), entry('kubectl', spec('b'))],
  },
  EachPart: {
    reason: 'generated data and handed-over values have managers of their own',
    given: [entry('old-generated', spec('a')), entry('old-handover', spec('b'))],
    want: [entry('team-a-generated', spec('a')), entry('team-a-handover', spec('b'))],
  },
  Update: {
    reason: 'a patch of ours left an Update, which is not merged into our Apply',
    given: [entry('old', spec('a'), { operation: 'Update' }), entry('old', spec('a'))],
    want: [entry('team-a', spec('a'), { operation: 'Update' }), entry('team-a', spec('a'))],
  },
  Status: {
    reason: 'a subresource has an entry of its own',
    given: [entry('old', spec('a'), { subresource: 'status' }), entry('team-a', spec('b'))],
    want: [entry('team-a', spec('a'), { subresource: 'status' }), entry('team-a', spec('b'))],
  },
  Both: {
    reason: 'a run under the present name did not know the former one',
    given: [entry('old', spec('a', 'b')), entry('team-a', spec('b', 'c'), { time: later })],
    want: [entry('team-a', spec('a', 'b', 'c'), { time: later })],
  },
  BothLater: {
    reason: 'the former name wrote last: one of its runs was still under way',
    given: [entry('old', spec('a'), { time: later }), entry('team-a', spec('b'))],
    want: [entry('team-a', spec('b', 'a'), { time: later })],
  },
  Several: {
    reason: 'it had two names before',
    given: [entry('old', spec('a')), entry('older', spec('b'))],
    want: [entry('team-a', spec('a', 'b'))],
  },
  WholeAndPart: {
    reason: 'one entry holds the map itself, the other a field in it: both stay held',
    given: [entry('old', { 'f:spec': {} }), entry('team-a', spec('a'))],
    want: [entry('team-a', { 'f:spec': { '.': {}, 'f:a': {} } })],
  },
  OtherVersion: {
    reason: 'fields of another version may have other names, so the later entry counts',
    given: [entry('old', spec('a'), { apiVersion: 'v2', time: later }), entry('team-a', spec('b'))],
    want: [entry('team-a', spec('a'), { apiVersion: 'v2', time: later })],
  },
  UpdatesOfVersions: {
    reason: 'the API server keeps updates apart by version, too',
    given: [
      entry('old', spec('a'), { operation: 'Update', apiVersion: 'v2' }),
      entry('team-a', spec('b'), { operation: 'Update' }),
    ],
    want: [
      entry('team-a', spec('a'), { operation: 'Update', apiVersion: 'v2' }),
      entry('team-a', spec('b'), { operation: 'Update' }),
    ],
  },
  Updates: {
    reason: 'updates of one version are one entry',
    given: [
      entry('old', spec('a'), { operation: 'Update' }),
      entry('team-a', spec('b'), { operation: 'Update' }),
    ],
    want: [entry('team-a', spec('a', 'b'), { operation: 'Update' })],
  },
  WithoutTime: {
    reason: 'others may have removed the time; then the entry that has one is the later',
    given: [
      entry('old', spec('a'), { time: '' }),
      entry('team-a', spec('b'), { apiVersion: 'v2' }),
    ].map(({ time, ...rest }) => (time ? { time, ...rest } : rest)),
    want: [entry('team-a', spec('b'), { apiVersion: 'v2' })],
  },
  SimilarName: {
    reason: 'another reconciler’s name may begin alike',
    given: [entry('old-b', spec('a')), entry('older-still', spec('b'))],
    want: [entry('old-b', spec('a')), entry('older-still', spec('b'))],
  },
};

const identity = { name: 'team-a', formerNames: ['old', 'older'] };

describe('managedFields under the present name', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    const found = underPresentName(given, identity);
    expect(found, reason).toEqual(want);
    expect(underPresentName(found, identity), 'a second time nothing changes').toBe(found);
  });

  it('stay as they are if there is no former name', () => {
    const given = [entry('old', spec('a'))];
    expect(underPresentName(given, { ...identity, formerNames: [] })).toBe(given);
  });

  it('are merged however many maps stand side by side', () => {
    const maps = (name: string): FieldsV1 =>
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f:${at}`, { [name]: {} }]));
    const [merged] = underPresentName(
      [entry('old', maps('f:a')), entry('team-a', maps('f:b'))],
      identity,
    );
    expect(Object.keys(merged?.fieldsV1 ?? {})).toHaveLength(100);
    expect(merged?.fieldsV1).toMatchObject({ 'f:99': { 'f:a': {}, 'f:b': {} } });
  });

  it('are not merged if that takes too long', () => {
    const many = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`f:${at}${'x'.repeat(1_000)}`, {}]),
    );
    const given = [entry('old', spec('a')), entry('team-a', many, { time: later })];
    expect(() => underPresentName(given, identity)).toThrow(UnreadableError);
  });

  it('are not merged beyond a depth, because anyone may write them', () => {
    const deep = (levels: number): FieldsV1 => (levels === 0 ? {} : { 'f:a': deep(levels - 1) });
    const given = [entry('old', deep(5_000)), entry('team-a', deep(5_000))];
    expect(() => underPresentName(given, identity)).toThrow(UnreadableError);
  });
});
