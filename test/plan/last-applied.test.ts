import { describe, expect, it } from 'vitest';
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
const entryOf = (value: JsonObject, dropped: readonly string[] = []): Entry => ({
  manager: 'us',
  time: undefined,
  values: shortJson(value),
  shape: JSON.stringify({ listKeys, leafMaps: ['spec.field'] }),
  dropped,
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
  /** Paths of fields that we still hold although the server dropped their empty values. */
  readonly dropped?: readonly string[];
  /** The fields of the apply, with fields that the kind leaves to others; default: `fields`. */
  readonly kept?: JsonObject;
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
const claims = { path: 'spec.claims', from: [], to: [], writer: undefined };
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
    dropped: ['ports', 'command', 'tty'].map((name) => `spec.containers[name="a"].${name}`),
    fields: specOf({}, { ports: [], command: '', tty: false, image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  NewlyEmpty: {
    reason:
      'cannot leave out empty values that only the new version has, because they make no difference',
    before: specOf(),
    held: withoutReplicas,
    fields: specOf({}, { ports: [], tty: false, image: 'two' }),
    differences: [replicas, edited],
    want: undefined,
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
    differences: [replicas, { path: 'data.text', from: 'x', to: 'y', writer: undefined }],
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
  Rewritten: {
    reason: 'knows a quantity that the server stores in another notation',
    before: specOf({ cpu: '1000m' }),
    held: specOf({ replicas: undefined, cpu: '1' }),
    fields: specOf({ cpu: '1000m' }, { image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  NewNotation: {
    reason: 'cannot restore another notation of the same value',
    before: specOf({ cpu: '1' }),
    held: specOf({ replicas: undefined, cpu: '1' }),
    fields: specOf({ cpu: '1000m' }, { image: 'two' }),
    differences: [replicas, edited],
    want: undefined,
  },
  CompletedAndChanged: {
    reason:
      'cannot restore atomic values that the server has completed and the new version changes',
    before: specOf({ claims: [{ size: 1 }] }),
    held: specOf({ replicas: undefined, claims: [{ size: 1, mode: 'x' }] }),
    fields: specOf({ claims: [{ size: 2 }] }),
    differences: [replicas, claims],
    want: undefined,
  },
  ShrunkAtomic: {
    reason: 'restores an atomic value of which the new version desires only a part',
    before: specOf({ claims: [{ size: 1, mode: 'x' }] }),
    held: specOf({ replicas: undefined, claims: [{ size: 1, mode: 'x' }] }),
    fields: specOf({ claims: [{ size: 1 }] }),
    differences: [replicas, claims],
    want: ['spec.replicas'],
  },
  NewOrder: {
    reason: 'restores the order of the previous apply',
    before: specOf({ containers: [container(), container({ name: 'b' })] }),
    held: specOf({ replicas: undefined, containers: [container(), container({ name: 'b' })] }),
    fields: specOf({ containers: [container({ name: 'b' }), container()] }),
    differences: [
      replicas,
      {
        path: 'spec.containers',
        from: ['[name="a"]', '[name="b"]'],
        to: ['[name="b"]', '[name="a"]'],
        writer: undefined,
      },
    ],
    want: ['spec.replicas'],
  },
  HandedOver: {
    reason: 'knows a field of the previous apply that the kind now leaves to others',
    before: specOf({ paused: true }),
    held: specOf({ replicas: undefined, paused: true }),
    fields: specOf({}, { image: 'two' }),
    kept: specOf({ paused: true }, { image: 'two' }),
    differences: [replicas, edited],
    want: ['spec.replicas'],
  },
  FirstAnnotation: {
    reason: 'leaves out a map whose only field is new',
    before: specOf(),
    held: withoutReplicas,
    fields: { ...specOf(), metadata: { annotations: { new: 'x' } } },
    differences: [
      replicas,
      { path: 'metadata.annotations.new', from: undefined, to: 'x', writer: undefined },
    ],
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
  it.each(casesOf(cases))('%s', (_, { before, held, dropped, fields, kept, ...one }) => {
    const observed = { ours: entryOf(held, dropped), others: [] } as unknown as ObservedChild;
    const { differences, want } = one;
    const update = { fields, kept: kept && { fields: kept }, differences };
    const found = lastApplied(observed, desiredDigest(before), update);
    expect(found?.fields).toEqual(want && before);
    expect(found?.differences.map(({ path }) => path)).toEqual(want);
  });

  it('are unknown if we hold none', () => {
    const observed = { ours: undefined, others: [] } as unknown as ObservedChild;
    const update = { fields: specOf(), differences: [replicas] };
    expect(lastApplied(observed, desiredDigest(specOf()), update)).toBeUndefined();
  });
});
