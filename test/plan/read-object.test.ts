import { describe, expect, it } from 'vitest';
import { configMap, secret } from '../../shared/kinds/child-types/core.ts';
import { digestOf } from '../../shared/kinds/names.ts';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { readObjectOf } from '../../shared/plan/observed/read-object.ts';
import {
  openPool,
  PostponedError,
  UnreadableError,
} from '../../shared/plan/observed/unreadable.ts';

const live = (kind: string, content: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name: 'one',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '',
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'open sesame' },
  },
  ...content,
});

const nested = (levels: number): JsonObject => (levels === 0 ? {} : { a: nested(levels - 1) });

describe('the part of an object that a kind receives', () => {
  it('includes numeric generations, which do not change the digest', () => {
    const status = { observedGeneration: 2 };
    const object = live('ConfigMap', { status });
    const read = (generation: unknown) => {
      const metadata = { ...object.metadata, generation: generation as number };
      return readObjectOf(configMap, { ...object, metadata });
    };
    const digest = digestOf({ status });
    expect(read(3)).toEqual({ name: 'one', digest, status, generation: 3, observedGeneration: 2 });
    expect(read('3')).not.toHaveProperty('generation');
  });

  it('is the whole object without metadata, and a digest of it', () => {
    const data = { tag: 'v1' };
    expect(readObjectOf(configMap, live('ConfigMap', { data, immutable: true }))).toEqual({
      name: 'one',
      data,
      digest: digestOf({ data }),
    });
  });

  it('has a digest that does not depend on the record of runs in the status of a kind of ours', () => {
    const read = (lastApplied: JsonObject) =>
      readObjectOf(configMap, live('Foo', { status: { ready: true, lastApplied } }));
    const record = (comparedAt: string) => ({ children: ['a'], comparedAt });
    const [first, second] = ['2026-11-29T00:00:00Z', '2026-11-30T00:00:00Z'].map(record);
    expect(read(first!)).toMatchObject({ digest: read(second!).digest, status: { ready: true } });
    // Another controller's field of this name is part of its status.
    expect(read({ revision: '1' }).digest).not.toBe(read({ revision: '2' }).digest);
  });

  it.each([configMap, secret])(
    'includes the labels of a $kind, which do not change the digest',
    (type) => {
      const object = live(type.kind, { data: {} });
      const labels = { colour: 'red' };
      const read = readObjectOf(type, { ...object, metadata: { ...object.metadata, labels } });
      expect(read).toEqual({ ...readObjectOf(type, object), labels });
    },
  );

  it('is, for a Secret, its keys and a digest that depends on the values', () => {
    const read = (value: string) =>
      readObjectOf(secret, live('Secret', { data: { token: value, a: '' }, type: 'Opaque' }));
    expect(read('x')).toEqual({
      name: 'one',
      keys: ['a', 'token'],
      digest: `secret-sha256:${digestOf({ token: 'x', a: '' })}`,
    });
    expect(read('y').digest).not.toBe(read('x').digest);
  });

  it('contains nothing else of a Secret, even if its type has another name', () => {
    const type = { group: '', version: 'v1', kind: 'Other', plural: 'secrets' };
    const content = { data: { token: 'open sesame' }, stringData: { token: 'open sesame' } };
    expect(JSON.stringify(readObjectOf(type, live('Secret', content)))).not.toContain('sesame');
  });

  it.each([null, 'text', ['a'], 7])('has no keys for a Secret whose data is %j', (data) => {
    expect(readObjectOf(secret, live('Secret', { data })).keys).toEqual([]);
  });

  it.each([
    { content: nested(66), why: 'it is nested deeper than 64 levels', reason: 'too deep' },
    {
      content: { data: { a: 'x'.repeat(17_000_000) } },
      why: 'its fields take more time and memory to read than allowed',
      reason: 'too large',
    },
  ])('is undefined if the object is $reason', ({ content, why }) => {
    expect(() => readObjectOf(configMap, live('ConfigMap', content))).toThrow(
      new UnreadableError(why),
    );
  });

  it('is undefined if earlier objects used up the pool, unless the object is small', () => {
    const pool = openPool(100_000);
    const large = live('ConfigMap', { data: { a: 'x'.repeat(700_000) } });
    readObjectOf(configMap, large, pool);
    expect(() => readObjectOf(configMap, large, pool)).toThrow(PostponedError);
    expect(readObjectOf(configMap, live('ConfigMap', { data: {} }), pool).name).toBe('one');
  });
});
