import { describe, expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { lastApplied } from '../../shared/plan/drift/last-applied.ts';
import { desiredDigest } from '../../shared/plan/observed/applied.ts';
import type { Entry, ObservedChild } from '../../shared/plan/observed/observed.ts';
import { shortJson } from '../../shared/plan/observed/short-text.ts';
import { casesOf } from '../support/cases.ts';

const long = 'x'.repeat(2_000);
const writer = { manager: 'kubectl', time: undefined };
const listKeys = { 'spec.containers': ['name'] };
const entryOf = (manager: string, value: JsonObject): Entry => ({
  manager,
  time: undefined,
  values: shortJson(value),
  shape: JSON.stringify({ listKeys, leafMaps: ['spec.field'] }),
});
const container = (over: JsonObject = {}) => ({ name: 'a', image: 'one', ...over });
const specOf = (over: JsonObject = {}, of: JsonObject = {}): JsonObject => ({
  data: { text: long },
  spec: { replicas: 2, containers: [container(of)], ...over },
});

interface Case {
  readonly reason: string;
  /** The fields of the previous apply. */
  readonly before: JsonObject;
  /** The fields of the previous apply that we still hold. */
  readonly held: JsonObject;
  /** The fields desired by the new version. */
  readonly fields: JsonObject;
  readonly differences: readonly Difference[];
  /** The restored fields by path; undefined if the previous apply is unknown. */
  readonly want: readonly string[] | undefined;
}

const replicas = { path: 'spec.replicas', from: 5, to: 2, writer };
const image = { path: 'spec.containers[name="a"].image', from: 'three', to: 'two', writer };
const pull = { path: 'spec.containers[name="a"].pull', from: 'x', to: 'y', writer };
const edited = { ...image, from: 'one', writer: undefined };
const withoutReplicas = { data: { text: long }, spec: { containers: [container()] } };

const cases: Record<string, Case> = {
  Taken: {
    reason: 'restores replicas that both versions desire',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({}, { image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  Dropped: {
    reason: 'knows empty values of the previous apply, which the server drops',
    before: specOf({}, { ports: [], command: '', tty: false }),
    held: withoutReplicas,
    fields: specOf({}, { ports: [], command: '', tty: false, image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  NewlyEmpty: {
    reason: 'leaves out empty values that only the new version has',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({}, { ports: [], tty: false, image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  TakenInAnItem: {
    reason: 'finds an item of a list by its key',
    before: specOf({}, { pull: 'y' }),
    held: specOf(),
    fields: specOf({}, { pull: 'y', image: 'two' }),
    differences: [pull, edited],
    want: ['spec.containers[name="a"].pull'],
  },
  Removed: {
    reason: 'restores a field that no manager holds if it was desired before',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({}, { image: 'two' }),
    differences: [{ ...replicas, from: undefined, writer: undefined }, edited],
    want: ['spec.replicas'],
  },
  NewlyDesired: {
    reason: 'does not restore a field that no manager holds if it was not desired before',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({ paused: true }),
    differences: [replicas, { path: 'spec.paused', from: undefined, to: true, writer: undefined }],
    want: ['spec.replicas'],
  },
  NoLongerDesired: {
    reason: 'restores a field that the new version drops',
    before: specOf({ paused: true }),
    held: { ...withoutReplicas, spec: { ...withoutReplicas.spec, paused: true } },
    fields: specOf(),
    differences: [replicas, { path: 'spec.paused', from: true, to: undefined, writer: undefined }],
    want: ['spec.replicas'],
  },
  ChangedByBoth: {
    reason: 'cannot restore an image that another writer has replaced',
    before: specOf(),
    held: { data: { text: long }, spec: { replicas: 2, containers: [{ name: 'a' }] } },
    fields: specOf({}, { image: 'two' }),
    differences: [image],
    want: undefined,
  },
  LongTextChanged: {
    reason:
      'cannot restore a long text that is no longer desired, because only its digest is known',
    before: specOf(),
    held: withoutReplicas,
    fields: { ...specOf(), data: { text: `${long}y` } },
    differences: [replicas],
    want: undefined,
  },
  Completed: {
    reason: 'knows atomic values that the server has completed',
    before: specOf({ claims: [{ size: 1 }], field: { path: 'a' } }),
    held: specOf({
      replicas: undefined,
      claims: [{ size: 1, mode: 'x' }],
      field: { path: 'a', of: 'v1' },
    }),
    fields: specOf({ claims: [{ size: 1 }], field: { path: 'a' } }, { image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  CompletedAndChanged: {
    reason:
      'cannot restore atomic values that the server has completed and the new version changes',
    before: specOf({ claims: [{ size: 1 }] }),
    held: specOf({ replicas: undefined, claims: [{ size: 1, mode: 'x' }] }),
    fields: specOf({ claims: [{ size: 2 }] }),
    differences: [replicas],
    want: undefined,
  },
  ShrunkAtomic: {
    reason: 'restores an atomic value of which the new version desires only a part',
    before: specOf({ claims: [{ size: 1, mode: 'x' }] }),
    held: specOf({ replicas: undefined, claims: [{ size: 1, mode: 'x' }] }),
    fields: specOf({ claims: [{ size: 1 }] }),
    differences: [replicas],
    want: ['spec.replicas'],
  },
  Untouched: {
    reason: 'restores nothing if others have changed nothing',
    before: specOf(),
    held: specOf(),
    fields: specOf({}, { image: 'two' }),
    differences: [edited],
    want: [],
  },
  RemovedBesideNew: {
    reason: 'restores only the one of two fields that was desired before',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({ paused: true }),
    differences: [
      { ...replicas, from: undefined, writer: undefined },
      { path: 'spec.paused', from: undefined, to: true, writer: undefined },
    ],
    want: ['spec.replicas'],
  },
};

describe('the fields of the last apply', () => {
  it.each(casesOf(cases))('%s', (_, { before, held, fields, differences, want }) => {
    const observed = { ours: entryOf('us', held), others: [] } as unknown as ObservedChild;
    const desired = desiredDigest(before);
    const found = lastApplied(observed, fields, { differences, record: { desired } });
    expect(found?.fields).toEqual(want && before);
    expect(found?.differences.map(({ path }) => path)).toEqual(want);
  });

  it('are unknown if we hold none', () => {
    const observed = { ours: undefined, others: [] } as unknown as ObservedChild;
    const known = { differences: [replicas], record: { desired: desiredDigest(specOf()) } };
    expect(lastApplied(observed, specOf(), known)).toBeUndefined();
  });
});

describe('with a digest of the fields that the old and the new version share', () => {
  const before = specOf({ replicas: 2 }, { pull: 'x', image: 'one' });
  const fields = specOf({ replicas: 2 }, { pull: 'y', image: 'two' });
  const desired = desiredDigest(before);
  const observing = (held: JsonObject) =>
    ({ ours: entryOf('us', held), others: [] }) as unknown as ObservedChild;
  const untouched = lastApplied(observing(before), fields, {
    differences: [edited, { ...pull, writer: undefined }],
    record: { desired },
  });
  const record = { desired, ...present({ alike: untouched?.alike }) };
  const taken = { data: { text: long }, spec: { containers: [{ name: 'a', pull: 'x' }] } };

  it('restores those fields, except one that both another writer and the new version change', () => {
    const differences = [replicas, image, { ...pull, writer: undefined }];
    const found = lastApplied(observing(taken), fields, { differences, record });
    expect(found?.fields).toEqual({ ...taken, spec: { ...taken.spec, replicas: 2 } });
    expect(found?.differences).toEqual([replicas]);
    expect(found?.alike).toBe(record.alike);
  });

  it('restores them again from the fields of the previous repair', () => {
    const repaired = { ...taken, spec: { ...taken.spec, replicas: 2 } };
    const again = { record: { desired: desiredDigest(repaired) }, differences: [replicas, image] };
    expect(lastApplied(observing(taken), fields, again)?.fields).toEqual(repaired);
  });

  it('restores nothing if the new version has changed again meanwhile', () => {
    const other = specOf({ replicas: 3 }, { pull: 'y', image: 'two' });
    const differences = [{ ...replicas, to: 3 }, image];
    expect(lastApplied(observing(taken), other, { differences, record })).toBeUndefined();
  });

  it('does not write a long text of which only the digest is known', () => {
    const longer = { ...fields, data: { text: `${long}y` } };
    const first = lastApplied(observing(before), longer, { differences: [], record: { desired } });
    const digest = { desired, ...present({ alike: first?.alike }) };
    const found = lastApplied(observing(taken), longer, {
      differences: [replicas, image],
      record: digest,
    });
    expect(JSON.stringify(found?.fields ?? {})).not.toContain('sha256');
  });
});
