import { describe, expect, test } from 'vitest';
import { changesSince, entriesAt } from '../../api-server/storage/collection.ts';
import { createStore, type Store } from '../../api-server/storage/store.ts';
import type { Change } from '../../api-server/storage/stored.ts';

const put = (store: Store, namespace: string, name: string, data = '') =>
  store.put('things', {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { namespace, name, uid: `${namespace}-${name}` },
    data,
  });
const keysAt = (store: Store, revision: number) =>
  entriesAt(store.collection('things'), revision).map(({ key }) => key);

describe('a store', () => {
  test('orders objects by the bytes of namespace/name', () => {
    const store = createStore();
    const places = ['ab/x', 'a/x1', 'a0/x', 'a/x', 'a-b/x', 'a/x.1', 'a/x-1'];
    for (const place of places) put(store, ...(place.split('/') as [string, string]));
    expect(keysAt(store, store.revision())).toEqual(places.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test('counts one revision for all collections, and writes it into the object', () => {
    const store = createStore();
    const first = put(store, 'a', 'x');
    store.put('others', { apiVersion: 'v1', kind: 'Other', metadata: { name: 'y' } });
    const second = put(store, 'a', 'x');
    expect(second.revision).toBe(first.revision + 2);
    expect(JSON.parse(second.body).metadata.resourceVersion).toBe(String(second.revision));
    expect(first.revision).toBeGreaterThan(1);
  });

  test('shows every past state, until it is compacted', () => {
    const store = createStore();
    const [a, b] = [put(store, 'n', 'a'), put(store, 'n', 'b')];
    const c = put(store, 'n', 'a', 'changed');
    const d = store.remove('things', 'n/b')?.revision ?? 0;
    expect([a.revision, b.revision, c.revision, d].map((one) => keysAt(store, one))).toEqual([
      ['n/a'],
      ['n/a', 'n/b'],
      ['n/a', 'n/b'],
      ['n/a'],
    ]);
    expect(entriesAt(store.collection('things'), b.revision)[0]?.revision).toBe(a.revision);
    store.compact(c.revision);
    expect(store.compacted()).toBe(c.revision);
    expect(changesSince(store.collection('things'), 0).map(({ revision }) => revision)).toEqual([
      d,
    ]);
  });

  test('forgets the oldest states once they are too large, whatever their number', () => {
    const store = createStore();
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 140; n++) put(store, 'n', 'a', `${n}${megabyte}`);
    const told = changesSince(store.collection('things'), store.compacted());
    expect(store.revision() - store.compacted()).toBe(told.length);
    expect(told.length).toBeGreaterThanOrEqual(60);
    expect(told.length).toBeLessThan(128);
  });

  test('reports each commit as it happens, with the previous object', () => {
    const store = createStore();
    const heard: Change[] = [];
    const stop = store.subscribe((change) => heard.push(change));
    const made = put(store, 'n', 'a');
    const changed = put(store, 'n', 'a', 'x');
    store.remove('things', 'n/a');
    stop();
    put(store, 'n', 'b');
    expect(heard.map(({ before, after }) => [before?.revision, after?.revision])).toEqual([
      [undefined, made.revision],
      [made.revision, changed.revision],
      [changed.revision, undefined],
    ]);
  });
});
