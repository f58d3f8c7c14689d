import { describe, expect, it } from 'vitest';
import type { StateName } from '../../infra/actions/sync-states.ts';
import { healthOf } from '../../infra/dashboard/health-words.ts';
import { byNamespace } from '../../infra/dashboard/page/state/children.ts';

const child = (name: string, state: StateName, namespace?: string) => ({
  child: { apiVersion: 'v1', kind: 'Secret', name, ...(namespace ? { namespace } : {}) },
  sync: { state },
  health: { state: 'Absent' as const },
  differences: [],
});

const shown = (...children: readonly ReturnType<typeof child>[]) =>
  byNamespace(children).map((group) => [
    group.namespace,
    ...group.children.map((one) => one.child.name),
  ]);

describe('the children of a resource', () => {
  it('are shown worst first, otherwise in the order of the kind', () => {
    expect(
      shown(
        child('a', 'InSync'),
        child('b', 'Drifted'),
        child('c', 'InSync'),
        child('d', 'Failed'),
      ),
    ).toEqual([[undefined, 'd', 'b', 'a', 'c']]);
  });

  it('are grouped by namespace, the one with the worst child first', () => {
    expect(
      shown(
        child('team', 'InSync'),
        child('a1', 'InSync', 'a'),
        child('b1', 'InSync', 'b'),
        child('b2', 'Blocked', 'b'),
      ),
    ).toEqual([
      ['b', 'b2', 'b1'],
      [undefined, 'team'],
      ['a', 'a1'],
    ]);
  });

  it('are shown as foreign, not as absent, if the object is not ours', () => {
    expect(healthOf(child('a', 'Foreign'))).toBe('foreign');
    expect(healthOf(child('a', 'Missing'))).toBe('absent');
  });
});
