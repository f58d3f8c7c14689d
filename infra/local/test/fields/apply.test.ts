import { describe, expect, it } from 'vitest';
import { serverSideApply } from '../../api-server/fields/apply.ts';
import { entriesOf, ownersOf, play, type Step, schema, take } from './history.ts';

const apply = (by: string, spec: object, rest: object = {}): Step => ({
  verb: 'apply',
  by,
  spec,
  ...rest,
});
const update = (by: string, spec: object, rest: object = {}): Step => ({
  verb: 'update',
  by,
  spec,
  ...rest,
});

interface Case {
  readonly reason: string;
  readonly given: readonly Step[];
  readonly want: { readonly spec: unknown; readonly owners: Record<string, string[]> };
}

const cases: Record<string, Case> = {
  OwnsWhatItSends: {
    reason: 'leaves, map entries and list items are owned, the structures around them are not',
    given: [apply('a', { size: 1, labels: { x: '1' }, ports: [{ port: 80 }], tags: ['t'] })],
    want: {
      spec: { size: 1, labels: { x: '1' }, ports: [{ port: 80 }], tags: ['t'] },
      owners: {
        'a Apply': [
          '.spec.size',
          '.spec.labels.x',
          '.spec.ports[port=80,protocol="TCP"]',
          '.spec.ports[port=80,protocol="TCP"].port',
          '.spec.tags[="t"]',
        ],
      },
    },
  },
  DropsWhatItNoLongerSends: {
    reason: 'a field the manager applied before and no other owns is removed',
    given: [apply('a', { size: 1, image: 'x' }), apply('a', { image: 'x' })],
    want: { spec: { image: 'x' }, owners: { 'a Apply': ['.spec.image'] } },
  },
  KeepsWhatOthersOwn: {
    reason: 'an equal value is owned together and outlives one of its owners',
    given: [
      apply('a', { size: 1, image: 'x' }),
      apply('b', { size: 1 }),
      apply('a', { image: 'x' }),
    ],
    want: {
      spec: { size: 1, image: 'x' },
      owners: { 'b Apply': ['.spec.size'], 'a Apply': ['.spec.image'] },
    },
  },
  ForceTakes: {
    reason: 'with force the others lose what changes, and an empty entry is removed',
    given: [apply('a', { size: 1 }), apply('b', { size: 2 }, { force: true })],
    want: { spec: { size: 2 }, owners: { 'b Apply': ['.spec.size'] } },
  },
  ItemGoesWithItsParts: {
    reason: 'unowned fields inside a dropped list item are removed with it',
    given: [
      apply('a', { size: 1, ports: [{ port: 80 }, { port: 81 }] }),
      update('d', { size: 1, ports: [{ port: 80, name: 'x' }, { port: 81 }] }),
      apply('a', { size: 1, ports: [{ port: 81 }] }),
    ],
    want: {
      spec: { size: 1, ports: [{ port: 81 }] },
      owners: {
        'a Apply': [
          '.spec.size',
          '.spec.ports[port=81,protocol="TCP"]',
          '.spec.ports[port=81,protocol="TCP"].port',
        ],
      },
    },
  },
  UpdatedFieldsAreKept: {
    reason: 'an apply does not drop what an update added',
    given: [
      apply('a', { labels: { x: '1' } }),
      update('b', { labels: { x: '1', y: '2' } }),
      apply('a', { labels: {} }),
    ],
    want: {
      spec: { labels: { y: '2' } },
      owners: { 'a Apply': ['.spec.labels'], 'b Update': ['.spec.labels.y'] },
    },
  },
  AtomicMapIsOneField: {
    reason: 'an atomic map is replaced, not merged',
    given: [
      apply('a', { pair: { a: '1', b: '2' } }),
      apply('b', { pair: { a: '3' } }, { force: true }),
    ],
    want: { spec: { pair: { a: '3' } }, owners: { 'b Apply': ['.spec.pair'] } },
  },
  AtomicListIsOneField: {
    reason: 'so is a list without a list type',
    given: [apply('a', { args: ['x'] }), apply('a', { args: ['y', 'z'] })],
    want: { spec: { args: ['y', 'z'] }, owners: { 'a Apply': ['.spec.args'] } },
  },
  SetsMerge: {
    reason: 'each value of a set is owned separately',
    given: [
      apply('a', { tags: ['x', 'y'] }),
      apply('b', { tags: ['y', 'z'] }),
      apply('a', { tags: [] }),
    ],
    want: {
      spec: { tags: ['y', 'z'] },
      owners: { 'b Apply': ['.spec.tags[="y"]', '.spec.tags[="z"]'] },
    },
  },
  KeyDefaultNamesTheItem: {
    reason: 'an item without a key is the item with the key’s default',
    given: [
      apply('a', { ports: [{ port: 80 }] }),
      apply('b', { ports: [{ port: 80, protocol: 'TCP', name: 'http' }] }),
    ],
    want: {
      spec: { ports: [{ port: 80, protocol: 'TCP', name: 'http' }] },
      owners: {
        'a Apply': [
          '.spec.ports[port=80,protocol="TCP"]',
          '.spec.ports[port=80,protocol="TCP"].port',
        ],
        'b Apply': [
          '.spec.ports[port=80,protocol="TCP"]',
          '.spec.ports[port=80,protocol="TCP"].name',
          '.spec.ports[port=80,protocol="TCP"].port',
          '.spec.ports[port=80,protocol="TCP"].protocol',
        ],
      },
    },
  },
  UnknownFieldsMergeByName: {
    reason: 'without a schema maps merge and lists are one field',
    given: [apply('a', { free: { x: { y: 1 }, l: [1] } }), apply('b', { free: { x: { z: {} } } })],
    want: {
      spec: { free: { x: { y: 1, z: {} }, l: [1] } },
      owners: {
        'a Apply': ['.spec.free.l', '.spec.free.x', '.spec.free.x.y'],
        'b Apply': ['.spec.free.x', '.spec.free.x.z'],
      },
    },
  },
  NullIsAValue: {
    reason: 'null is owned and kept; pruning decides whether it stays',
    given: [apply('a', { size: 1 }), apply('a', { size: null })],
    want: { spec: { size: null }, owners: { 'a Apply': ['.spec.size'] } },
  },
  BeforeFirstApply: {
    reason: 'fields of an untracked object belong to before-first-apply',
    given: [
      update('a', { size: 1, image: 'x' }),
      update('b', { size: 1, image: 'x' }, { metadata: { managedFields: [{}] } }),
      apply('c', { image: 'x' }),
    ],
    want: {
      spec: { size: 1, image: 'x' },
      owners: {
        'c Apply': ['.spec.image'],
        'before-first-apply Update': ['.spec', '.spec.image', '.spec.size'],
      },
    },
  },
};

describe.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
  it(reason, () => {
    const { object, refused } = play(given);
    expect(refused).toBeUndefined();
    const { spec } = object as { spec: unknown };
    expect({ spec, owners: ownersOf(object) }).toEqual(want);
  });
});

describe('an apply', () => {
  it('returns the live object itself when nothing changes', () => {
    const step = apply('a', { size: 1, ports: [{ port: 80 }], free: { x: [1] } });
    const { object } = play([step]);
    const again = take(structuredClone(step), object, 9);
    expect(again.kind === 'merged' && again.object).toBe(object);
  });

  it('updates the time only of a manager that changed the object', () => {
    const { object } = play([
      apply('a', { size: 1, image: 'x' }),
      apply('b', { labels: { l: '1' } }),
      apply('a', { size: 2, image: 'x' }),
    ]);
    expect(entriesOf(object).map(({ manager, time }) => [manager, time])).toEqual([
      ['b', '2024-01-01T00:01:00Z'],
      ['a', '2024-01-01T00:02:00Z'],
    ]);
  });

  it('leaves a new co-owner without a time, as the real server does', () => {
    const { object } = play([apply('a', { size: 1 }), apply('b', { size: 1 })]);
    expect(entriesOf(object).map(({ manager, time }) => [manager, time])).toEqual([
      ['b', undefined],
      ['a', '2024-01-01T00:00:00Z'],
    ]);
  });

  it('does not alter its arguments', () => {
    const { object } = play([apply('a', { ports: [{ port: 80 }], labels: { x: '1' } })]);
    const before = JSON.stringify(object);
    take(apply('b', { ports: [{ port: 80, name: 'n' }], labels: { y: '2' } }), object, 5);
    expect(JSON.stringify(object)).toBe(before);
  });
});

describe('a schema that changed', () => {
  it('makes what has become atomic one field', () => {
    const { object } = play([apply('a', { labels: { x: '1' }, size: 1 })]);
    const spec = schema.properties?.spec;
    const labels = { ...spec?.properties?.labels, 'x-kubernetes-map-type': 'atomic' as const };
    const changed = { ...spec, properties: { ...spec?.properties, labels } };
    const result = serverSideApply({
      source: { root: { type: 'object', properties: { spec: changed } }, definitions: {} },
      live: object,
      applied: { apiVersion: 'example.com/v1', kind: 'Web', metadata: {}, spec: { size: 1 } },
      manager: 'b',
      apiVersion: 'example.com/v1',
      force: false,
      now: '2024-01-01T00:01:00Z',
    });
    expect(result.kind === 'merged' && ownersOf(result.object)).toEqual({
      'b Apply': ['.spec.size'],
      'a Apply': ['.spec.labels', '.spec.size'],
    });
  });
});

const refusals: Record<string, { reason: string; given: object; want: string }> = {
  Unknown: {
    reason: 'a field must be declared',
    given: { bogus: 1 },
    want: '.spec.bogus: field not declared in schema',
  },
  WrongType: {
    reason: 'a value must have the type',
    given: { size: 'x' },
    want: '.spec.size: expected numeric (int or float), got string',
  },
  Duplicate: {
    reason: 'items of a list with keys must differ',
    given: { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
    want: '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
  },
  WithoutKey: {
    reason: 'an item must have a key or a default of one',
    given: { tags: [null] },
    want: ".spec.tags: element 0: associative list without keys has an element that's an explicit null",
  },
};

describe.each(Object.entries(refusals))('a refused apply: %s', (_, { reason, given, want }) => {
  it(reason, () => {
    const prefix = 'failed to create typed patch object (/web; example.com/v1, Kind=Web): ';
    expect(play([apply('a', given)]).refused).toBe(prefix + want);
  });
});
