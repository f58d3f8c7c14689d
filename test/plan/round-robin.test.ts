import { describe, expect, it } from 'vitest';
import { roundRobin, roundRobinByNamespace } from '../../shared/plan/round-robin.ts';

describe('roundRobin', () => {
  it.each([
    ['nothing', [], []],
    ['keeps the order of a single queue', [[1, 2, 3]], [1, 2, 3]],
    [
      'returns the first item of each queue, then the second ones',
      [[1, 2, 3], [4], [5, 6]],
      [1, 4, 5, 2, 6, 3],
    ],
  ])('%s', (_, queues, want) => {
    expect(roundRobin(queues)).toEqual(want);
  });
});

describe('roundRobinByNamespace', () => {
  it('puts the only child of one namespace before most children of another', () => {
    const many = ['1', '2', '3'].map((uid) => ({ namespace: 'a', uid }));
    const found = roundRobinByNamespace([...many, { namespace: 'b', uid: '4' }]);
    expect(found.map(({ uid }) => uid)).toEqual(['1', '4', '2', '3']);
  });
});
