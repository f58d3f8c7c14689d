import { describe, expect, it } from 'vitest';
import type { FieldsV1, ManagedFieldsEntry } from '../../shared/kubernetes.ts';
import { underPresentName } from '../../shared/plan/former.ts';
import { UnreadableError } from '../../shared/plan/unreadable.ts';

const entry = (
  manager: string,
  fieldsV1: FieldsV1,
  over: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  ...{ manager, operation: 'Apply', apiVersion: 'v1', time: '2026-11-22T12:00:00Z' },
  ...{ fieldsType: 'FieldsV1', fieldsV1 },
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
    reason: 'generated data and handed over values have managers of their own',
    given: [entry('old-generated', spec('a')), entry('old-handover', spec('b'))],
    want: [entry('team-a-generated', spec('a')), entry('team-a-handover', spec('b'))],
  },
  Update: {
    reason: 'a patch of ours left it; it is no Apply',
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
    reason: 'the former name wrote last: a run of it was still going on',
    given: [entry('old', spec('a'), { time: later }), entry('team-a', spec('b'))],
    want: [entry('team-a', spec('b', 'a'), { time: later })],
  },
  Several: {
    reason: 'it had two names before',
    given: [entry('old', spec('a')), entry('older', spec('b'))],
    want: [entry('team-a', spec('a', 'b'))],
  },
  WholeAndPart: {
    reason: 'one holds the map itself, the other a field in it: both stay held',
    given: [entry('old', { 'f:spec': {} }), entry('team-a', spec('a'))],
    want: [entry('team-a', { 'f:spec': { '.': {}, 'f:a': {} } })],
  },
  OtherVersion: {
    reason: 'fields of another version may have other names: the later entry counts',
    given: [entry('old', spec('a'), { apiVersion: 'v2', time: later }), entry('team-a', spec('b'))],
    want: [entry('team-a', spec('a'), { apiVersion: 'v2', time: later })],
  },
  SimilarName: {
    reason: 'another reconciler, whose name begins alike',
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

  it('are the same where there is no former name', () => {
    const given = [entry('old', spec('a'))];
    expect(underPresentName(given, { ...identity, formerNames: [] })).toBe(given);
  });

  it('are not merged without bounds: anyone may write them', () => {
    const deep = (levels: number): FieldsV1 => (levels === 0 ? {} : { 'f:a': deep(levels - 1) });
    const given = [entry('old', deep(5_000)), entry('team-a', deep(5_000))];
    expect(() => underPresentName(given, identity)).toThrow(UnreadableError);
  });
});
