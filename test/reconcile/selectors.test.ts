import { describe, expect, it } from 'vitest';
import { configMap, secret } from '../../index.ts';
import { readableByAnnotation } from '../../shared/kinds/names.ts';
import { createTestEnvironment, type TestEnvironment } from '../../testing/index.ts';
import { board, boardReading, note } from '../support/board.ts';

const spec = { labels: { app: 'shop' } };

const listIn = async (world: TestEnvironment, name = 'one', namespace = 'default') => {
  const live = await world.get(configMap, `${name}-list`, { namespace });
  return (live?.data as { readonly notes: string } | undefined)?.notes;
};

const namespace = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

const requestFor = (name: string, kind = 'boards', place = 'default') => ({
  kind: `${kind}.example.org`,
  namespace: place,
  name,
});

const readsOf = (world: TestEnvironment, resource: string) =>
  world
    .requests()
    .filter((one) => one.resource === resource && !one.isWrite)
    .map(({ verb }) => verb);

describe('a resource that selects ConfigMaps', () => {
  it('receives those of its namespace in the order of their names, and writes nothing without changes', async () => {
    await using world = await createTestEnvironment({ kinds: [board] });
    await world.apply(namespace('other'));
    for (const name of ['b', 'a']) await world.apply(note(name));
    await world.apply(note('c', { labels: { app: 'web' } }));
    await world.apply(note('d', { namespace: 'other' }));
    await world.apply(board, { name: 'one', spec });
    await world.resync();
    expect(await listIn(world)).toBe('default/a=1 default/b=1');
    await world.resync();
    world.requests();
    await world.resync();
    expect(world.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
  });

  it('receives children of other resources, but none of its own', async () => {
    await using world = await createTestEnvironment({ kinds: [board] });
    const labels = { 'app.kubernetes.io/part-of': 'board' };
    await world.apply(board, { name: 'one', spec: { labels } });
    await world.apply(board, { name: 'other', spec });
    await world.resync();
    await world.resync();
    expect(await listIn(world)).toBe('default/other-list=undefined');
    world.requests();
    await world.resync();
    expect(world.requests().filter(({ isWrite }) => isWrite)).toEqual([]);
  });

  it('follows added, changed and deleted objects after their audit events, and relabelled ones at the resync', async () => {
    await using world = await createTestEnvironment({ kinds: [board] });
    await world.apply(board, { name: 'one', spec });
    await world.apply(board, { name: 'other', spec: { labels: { app: 'web' } } });
    await world.resync();
    const follow = async () => {
      const { reconcileRequests } = await world.deliver();
      expect(reconcileRequests).toEqual([requestFor('one')]);
      return listIn(world);
    };
    await world.apply(note('a'));
    expect(await follow()).toBe('default/a=1');
    await world.apply(note('a', { text: '2' }));
    expect(await follow()).toBe('default/a=2');
    await world.apply(note('a', { labels: { app: 'none' } }));
    expect((await world.deliver()).reconcileRequests).toEqual([]);
    await world.resync();
    expect(await listIn(world)).toBe('');
    await world.apply(note('a'));
    expect(await follow()).toBe('default/a=1');
    await world.delete(configMap, 'a');
    const { reconcileRequests } = await world.deliver();
    expect(reconcileRequests).toEqual([requestFor('one'), requestFor('other')]);
    expect(await listIn(world)).toBe('');
  });

  it('changes no child while the list fails, and reports why', async () => {
    await using world = await createTestEnvironment({ kinds: [board] });
    await world.apply(note('a'));
    await world.apply(board, { name: 'one', spec });
    await world.resync();
    await world.apply(note('b'));
    const end = world.fail({ verb: 'list', resource: secret, status: 503 });
    await world.resync();
    expect((await world.conditions(board, 'one')).Ready).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/^Secret \(app=shop\) cannot be read: /),
    });
    expect(await listIn(world)).toBe('default/a=1');
    end();
    await world.resync();
    expect(await listIn(world)).toBe('default/a=1 default/b=1');
  });

  it('changes no child if it selects too many, and reports that', async () => {
    await using world = await createTestEnvironment({ kinds: [board] });
    await world.apply(note('a'));
    await world.apply(board, { name: 'one', spec });
    await world.resync();
    for (let at = 0; at < 256; at++) await world.apply(note(`b-${at}`));
    await world.resync();
    expect((await world.conditions(board, 'one')).Stalled).toMatchObject({
      reason: 'UnreadableObject',
      message:
        'ConfigMap (app=shop) cannot be read: it selects more than 256 objects; narrow the selector',
    });
    expect(await listIn(world)).toBe('default/a=1');
  });

  it('is invalid if its selector is invalid', async () => {
    await using world = await createTestEnvironment({ kinds: [board] });
    await world.apply(board, { name: 'one', spec: { labels: { 'a,b': 'c' } } });
    await world.resync();
    expect((await world.conditions(board, 'one')).Stalled).toMatchObject({
      reason: 'InvalidSpec',
      message: 'the label selector is invalid: "a,b" is not a valid label key (reads.notes)',
    });
  });

  it('receives the keys of Secrets, never a value', async () => {
    const lines: string[] = [];
    await using world = await createTestEnvironment(
      { kinds: [board] },
      { onLog: (line) => lines.push(line) },
    );
    const data = { password: Buffer.from('open sesame').toString('base64') };
    const metadata = { name: 's', labels: { app: 'shop' } };
    await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data });
    await world.apply(board, { name: 'one', spec });
    await world.resync();
    const list = await world.get(configMap, 'one-list');
    expect(list?.data).toMatchObject({ tokens: 's:password' });
    const said = [...lines, JSON.stringify([list, await world.get(board, 'one')])].join();
    for (const value of ['open sesame', data.password]) expect(said).not.toContain(value);
  });
});

describe('a resource that selects in namespaces with grants', () => {
  const reader = boardReading('granted', 'Reader');
  const granted = (to: string) => ({ annotations: { [readableByAnnotation]: to } });

  it('receives only objects that their owners have granted to its namespace and type', async () => {
    await using world = await createTestEnvironment({ kinds: [reader] });
    for (const place of ['other', 'third']) await world.apply(namespace(place));
    await world.apply(note('own'));
    await world.apply(note('a', { namespace: 'other', ...granted('default/readers.example.org') }));
    await world.apply(note('b', { namespace: 'other', ...granted('third/readers.example.org') }));
    await world.apply(note('c', { namespace: 'other' }));
    for (const place of ['default', 'third'])
      await world.apply(reader, { name: 'one', namespace: place, spec });
    await world.resync();
    expect(await listIn(world)).toBe('default/own=1 other/a=1');
    expect(await listIn(world, 'one', 'third')).toBe('other/b=1');
  });

  it('follows a grant and its withdrawal after the audit event', async () => {
    await using world = await createTestEnvironment({ kinds: [reader] });
    await world.apply(namespace('other'));
    await world.apply(note('a', { namespace: 'other' }));
    await world.apply(reader, { name: 'one', spec });
    await world.resync();
    expect(await listIn(world)).toBe('');
    await world.apply(note('a', { namespace: 'other', ...granted('*/readers.example.org') }));
    expect((await world.deliver()).reconcileRequests).toEqual([requestFor('one', 'readers')]);
    expect(await listIn(world)).toBe('other/a=1');
    await world.apply(note('a', { namespace: 'other' }));
    await world.deliver();
    expect(await listIn(world)).toBe('');
  });
});

describe('a resource that selects in all namespaces', () => {
  it('receives and follows objects anywhere', async () => {
    const reader = boardReading('all');
    await using world = await createTestEnvironment({ kinds: [reader] });
    await world.apply(namespace('other'));
    await world.apply(note('a'));
    await world.apply(reader, { name: 'one', spec });
    await world.resync();
    await world.apply(note('b', { namespace: 'other' }));
    expect((await world.deliver()).reconcileRequests).toEqual([requestFor('one')]);
    expect(await listIn(world)).toBe('default/a=1 other/b=1');
    await world.delete(configMap, 'b', { namespace: 'other' });
    await world.resync();
    expect(await listIn(world)).toBe('default/a=1');
    await world.delete(configMap, 'a');
    await world.deliver();
    expect(await listIn(world)).toBe('');
  });
});

describe('the requests of a resync', () => {
  it.each([1, 40])('are one list of each selected type for %i resources', async (count) => {
    await using world = await createTestEnvironment({ kinds: [board] });
    await world.apply(note('a'));
    for (let at = 0; at < count; at++)
      await world.apply(board, {
        name: `board-${at}`,
        spec: { labels: at % 2 === 0 ? { app: 'shop' } : { app: 'web' } },
      });
    await world.resync();
    await world.resync();
    world.requests();
    await world.resync();
    expect(readsOf(world, 'secrets')).toEqual(['list']);
    await world.resync();
    // One of the two lists is that of the children.
    expect(readsOf(world, 'configmaps')).toEqual(['list', 'list']);
  });
});
