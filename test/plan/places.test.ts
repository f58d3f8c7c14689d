import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/kubernetes.ts';
import {
  namesAt,
  type Place,
  patchBetween,
  pathOf,
  valueIn,
  withValueAt,
} from '../../shared/plan/drift/places.ts';
import { merged } from '../../shared/plan/drift/untangle.ts';

describe('withValueAt', () => {
  const object = { spec: { ports: [{ port: 80 }, { port: 443, name: 'tls' }], type: 'NodePort' } };

  it.each<{ reason: string; place: Place; value?: Json; want: Json }>([
    {
      reason: 'a field is removed',
      place: ['spec', 'type'],
      want: { spec: { ports: object.spec.ports } },
    },
    {
      reason: 'a field of an item is removed',
      place: ['spec', 'ports', 1, 'name'],
      want: { spec: { ports: [{ port: 80 }, { port: 443 }], type: 'NodePort' } },
    },
    {
      reason: 'an item is removed',
      place: ['spec', 'ports', 0],
      want: { spec: { ports: [{ port: 443, name: 'tls' }], type: 'NodePort' } },
    },
    {
      reason: 'a value is replaced',
      place: ['spec', 'type'],
      value: 'ClusterIP',
      want: { spec: { ports: object.spec.ports, type: 'ClusterIP' } },
    },
    {
      reason: 'an item is named by its keys, of which the server may set some',
      place: ['spec', 'ports', 'k:{"port":80,"protocol":"TCP"}'],
      want: { spec: { ports: [{ port: 443, name: 'tls' }], type: 'NodePort' } },
    },
    {
      reason: 'a path that does not exist changes nothing',
      place: ['metadata', 'labels', 'a'],
      want: object,
    },
    { reason: 'a path into a text changes nothing', place: ['spec', 'type', 'a'], want: object },
  ])('$reason', ({ place, value, want }) => {
    expect(withValueAt(object, place, value)).toEqual(want);
  });
});

describe('the patch between two values', () => {
  it.each<{ reason: string; from: Json; to: Json; want: Json }>([
    {
      reason: 'the same fields in another order',
      from: { a: 1, b: 2 },
      to: { b: 2, a: 1 },
      want: [],
    },
    {
      reason: 'fields that are added, changed and removed',
      from: { a: 1, b: { c: 1, d: 2 } },
      to: { b: { c: 2 }, e: [] },
      want: [
        { op: 'remove', path: '/a' },
        { op: 'replace', path: '/b/c', value: 2 },
        { op: 'remove', path: '/b/d' },
        { op: 'add', path: '/e', value: [] },
      ],
    },
    {
      reason: 'a list is replaced as a whole, because indexes shift',
      from: { a: [1, 2] },
      to: { a: [2] },
      want: [{ op: 'replace', path: '/a', value: [2] }],
    },
    {
      reason: 'names are escaped',
      from: { 'a/b~c': 1 },
      to: {},
      want: [{ op: 'remove', path: '/a~1b~0c' }],
    },
  ])('$reason', ({ from, to, want }) => {
    expect(patchBetween(from, to)).toEqual(want);
  });
});

it('an item is found by its keys, in the object and in managedFields', () => {
  const item = 'k:{"port":443,"protocol":"TCP"}';
  const names = { 'f:ports': { [item]: { 'f:name': { '.': {} } } } };
  const object = { ports: [{ port: 80 }, { port: 443, protocol: 'TCP', name: 'tls' }] };
  const place = ['ports', item, 'name'];
  expect(valueIn(object, place)).toBe('tls');
  expect(namesAt([names], object, place)).toEqual([{ '.': {} }]);
  expect(namesAt([names], object, ['ports', 1, 'name'])).toEqual([{ '.': {} }]);
  expect(namesAt([names], object, ['ports', 0, 'name'])).toEqual([]);
  expect(pathOf(place)).toBe('ports[port=443,protocol="TCP"].name');
});

describe('of two items, one of which leaves a key field to its default', () => {
  const [tcp, udp] = ['k:{"port":53,"protocol":"TCP"}', 'k:{"port":53,"protocol":"UDP"}'];
  const ports = { ports: [{ port: 53 }, { port: 53, protocol: 'UDP' }] };

  it.each([ports, { ports: ports.ports.toReversed() }])(
    'each is found by its own key',
    (object) => {
      expect(valueIn(object, ['ports', tcp])).toEqual({ port: 53 });
      expect(valueIn(object, ['ports', udp])).toEqual({ port: 53, protocol: 'UDP' });
    },
  );

  it('only the named item changes', () => {
    const changed = { ports: [{ port: 53 }, { port: 53, protocol: 'UDP', nodePort: 30_053 }] };
    expect(withValueAt(ports, ['ports', udp, 'nodePort'], 30_053)).toEqual(changed);
    expect(withValueAt(changed, ['ports', udp, 'nodePort'], undefined)).toEqual(ports);
  });

  it('each is merged into its own live item', () => {
    const live = [
      { port: 53, protocol: 'UDP', nodePort: 30_053 },
      { port: 53, protocol: 'TCP', nodePort: 30_054 },
    ];
    const names = { [tcp]: {}, [udp]: {} };
    expect(merged(live, ports.ports, [names])).toEqual([
      { port: 53, protocol: 'TCP', nodePort: 30_054 },
      { port: 53, protocol: 'UDP', nodePort: 30_053 },
    ]);
  });
});
