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
  shape: JSON.stringify({ listKeys, leafMaps: [] }),
});
const container = (over: JsonObject = {}) => ({ name: 'a', image: 'one', ...over });
const specOf = (over: JsonObject = {}, of: JsonObject = {}): JsonObject => ({
  data: { text: long },
  spec: { replicas: 2, containers: [container(of)], ...over },
});

interface Case {
  readonly reason: string;
  /** The fields of the last apply. */
  readonly before: JsonObject;
  /** Those of them that we still hold. */
  readonly held: JsonObject;
  /** The fields that are desired now. */
  readonly fields: JsonObject;
  readonly differences: readonly Difference[];
  /** The paths of the fields that are restored; undefined if the last apply is unknown. */
  readonly want: readonly string[] | undefined;
}

const replicas = { path: 'spec.replicas', from: 5, to: 2, writer };
const image = { path: 'spec.containers[name="a"].image', from: 'three', to: 'two', writer };
const pull = { path: 'spec.containers[name="a"].pull', from: 'x', to: 'y', writer };
const edited = { ...image, from: 'one', writer: undefined };
const withoutReplicas = { data: { text: long }, spec: { containers: [container()] } };

const cases: Record<string, Case> = {
  Taken: {
    reason: 'both versions want the same replicas',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({}, { image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  Dropped: {
    reason: 'the server drops empty values, so we hold none',
    before: specOf({}, { ports: [], command: '', tty: false }),
    held: withoutReplicas,
    fields: specOf({}, { ports: [], command: '', tty: false, image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  NewlyEmpty: {
    reason: 'the new version adds empty values, which the last apply did not have',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({}, { ports: [], tty: false, image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  TakenInAnItem: {
    reason: 'an item of a list is found by its key',
    before: specOf({}, { pull: 'y' }),
    held: specOf(),
    fields: specOf({}, { pull: 'y', image: 'two' }),
    differences: [pull, edited],
    want: ['spec.containers[name="a"].pull'],
  },
  Removed: {
    reason: 'a field that nobody holds was desired before',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({}, { image: 'two' }),
    differences: [{ ...replicas, from: undefined, writer: undefined }, edited],
    want: ['spec.replicas'],
  },
  NewlyDesired: {
    reason: 'a field that nobody holds was not desired before, and stays away',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({ paused: true }),
    differences: [replicas, { path: 'spec.paused', from: undefined, to: true, writer: undefined }],
    want: ['spec.replicas'],
  },
  NoLongerDesired: {
    reason: 'a field that the new version drops is part of the last apply',
    before: specOf({ paused: true }),
    held: { ...withoutReplicas, spec: { ...withoutReplicas.spec, paused: true } },
    fields: specOf(),
    differences: [replicas, { path: 'spec.paused', from: true, to: undefined, writer: undefined }],
    want: ['spec.replicas'],
  },
  ChangedByBoth: {
    reason: 'the former image is unknown, because another writer has replaced it',
    before: specOf(),
    held: { data: { text: long }, spec: { replicas: 2, containers: [{ name: 'a' }] } },
    fields: specOf({}, { image: 'two' }),
    differences: [image],
    want: undefined,
  },
  LongTextChanged: {
    reason: 'of a long text that is no longer desired only the digest is known',
    before: specOf(),
    held: withoutReplicas,
    fields: { ...specOf(), data: { text: `${long}y` } },
    differences: [replicas],
    want: undefined,
  },
  Untouched: {
    reason: 'others have changed nothing',
    before: specOf(),
    held: specOf(),
    fields: specOf({}, { image: 'two' }),
    differences: [edited],
    want: [],
  },
  RemovedBesideNew: {
    reason: 'of two fields that nobody holds, one was desired before',
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

describe('with a digest of what old and new fields have alike', () => {
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

  it('restores those, and omits a field that both another writer and the new version change', () => {
    const differences = [replicas, image, { ...pull, writer: undefined }];
    const found = lastApplied(observing(taken), fields, { differences, record });
    expect(found?.fields).toEqual({ ...taken, spec: { ...taken.spec, replicas: 2 } });
    expect(found?.differences).toEqual([replicas]);
    expect(found?.alike).toBe(record.alike);
  });

  it('restores them again from the fields of that repair', () => {
    const repaired = { ...taken, spec: { ...taken.spec, replicas: 2 } };
    const again = { record: { desired: desiredDigest(repaired) }, differences: [replicas, image] };
    expect(lastApplied(observing(taken), fields, again)?.fields).toEqual(repaired);
  });

  it('knows nothing if the new version has changed again meanwhile', () => {
    const other = specOf({ replicas: 3 }, { pull: 'y', image: 'two' });
    const differences = [{ ...replicas, to: 3 }, image];
    expect(lastApplied(observing(taken), other, { differences, record })).toBeUndefined();
  });

  it('writes no long text of which only a digest is known', () => {
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
