import { describe, expect, test } from 'vitest';
import { child, configMap, defineKind, secret, Type } from '../../index.ts';
import { present } from '../../shared/json.ts';
import { dueToTimeIn, rolloutTargetOf } from '../../shared/plan/decision/target.ts';
import { identity, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { unexplored } from '../support/unexplored.ts';

const targetWith = (settings: { readonly pin: string; readonly text: string }): string => {
  const kind = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Vault',
    plural: 'vaults',
    spec: Type.Object({}),
    samples: [{ name: 'vault', spec: {} }],
    owns: [configMap, secret],
    children: ({ name }) => [
      child(configMap, { name, body: { data: { text: settings.text } } }),
      child(secret, { name, body: { data: { pin: btoa(settings.pin) } } }),
    ],
  });
  const resource = observeResource(foo());
  return rolloutTargetOf({ ...unexplored, identity, kind, resource, children: new Map() });
};

test('law 10 the rollout target, which a status shows, does not depend on values of Secrets', () => {
  const target = targetWith({ pin: '4711', text: 'a' });
  expect(target).toMatch(/^[\w-]{12}$/);
  expect(targetWith({ pin: '4712', text: 'a' })).toBe(target);
  expect(targetWith({ pin: '4711', text: 'b' })).not.toBe(target);
});

describe('the children for which a time has come', () => {
  const at = (time: string) => Date.parse(time);
  const dueAt = (now: string, until?: string, days = 1) => {
    const kind = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Lease',
      plural: 'leases',
      spec: Type.Object({}),
      samples: [{ name: 'one', spec: {} }],
      owns: [configMap, secret],
      children: ({ isPast }) => {
        const isOver = isPast(`2026-03-0${days}T00:00:00Z`);
        const generated = { keys: ['pin'], rotation: String(isOver), usedBy: [] };
        return [
          child(configMap, { name: isOver ? 'after' : 'before', body: {} }),
          child(configMap, { name: 'changes', body: { data: { isOver: String(isOver) } } }),
          child(configMap, { name: 'stays', body: {} }),
          child(secret, { name: 'rotates', body: {}, generated }),
        ];
      },
    });
    const resource = observeResource(foo({ spec: {} }));
    const status = { ...resource.status, lastApplied: { children: [], ...present({ until }) } };
    const world = { ...unexplored, identity, kind, resource: { ...resource, status } };
    const dueToTime = dueToTimeIn({ ...world, children: new Map(), now: at(now) });
    const names = ['after', 'before', 'changes', 'stays', 'rotates'];
    return names.filter((name) => {
      const type = name === 'rotates' ? 'Secret' : 'ConfigMap';
      return dueToTime?.({ apiVersion: 'v1', kind: type, name });
    });
  };
  const changed = ['after', 'before', 'changes', 'rotates'];

  test.each([
    ['the time has come', dueAt('2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'), changed],
    ['it came a day ago', dueAt('2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z'), changed],
    ['it is still to come', dueAt('2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z'), []],
    ['the last run noted no time', dueAt('2026-03-02T00:00:00Z'), []],
    ['new code asks about another time', dueAt('2026-03-05T00:00:00Z', '2026-03-04T00:00:00Z'), []],
  ])('%s', (_, found, want) => {
    expect(found).toEqual(want);
  });
});
