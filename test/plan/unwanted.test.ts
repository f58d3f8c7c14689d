import { describe, expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { FightDetector } from '../../shared/plan/drift/contest.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { fooDeployment } from '../support/children.ts';
import { planOf } from '../support/decisions.ts';
import { createdAt, foo } from '../support/resources.ts';

const unwanted = fooDeployment({ metadata: { name: 'old' } });

function deletions(old: KubeObject, contested?: FightDetector) {
  const there = planOf(fooKind, foo(), { live: [fooDeployment(), old], ...present({ contested }) });
  return there.state === 'planned' ? there.deletions : there.state;
}

describe('an unwanted child', () => {
  it.each([
    ['is deleted', unwanted, { verb: 'delete', lock: { uid: unwanted.metadata.uid } }],
    [
      'C-13 is waited for while it is being deleted',
      fooDeployment({ metadata: { name: 'old', deletionTimestamp: createdAt } }),
      { verb: 'wait', reason: 'ChildDeleting' },
    ],
  ])('%s', (_, old, want) => {
    expect(deletions(old)).toMatchObject([{ child: { name: 'old' }, ...want }]);
  });

  it('comes in the same order in whatever order the lists responded', () => {
    const others = ['b', 'a', 'c'].map((name) => fooDeployment({ metadata: { name } }));
    const namesIn = (live: readonly KubeObject[]) => {
      const there = planOf(fooKind, foo(), { live });
      return there.state === 'planned' ? there.deletions.map(({ child }) => child.name) : [];
    };
    expect(namesIn(others)).toEqual(['a', 'b', 'c']);
    expect(namesIn(others.toReversed())).toEqual(['a', 'b', 'c']);
  });

  it('is left to the next resync if others keep creating it', () => {
    const asked: unknown[] = [];
    const contested: FightDetector = ({ verb, child, observed, differences }) => {
      asked.push([verb, child, observed?.name, differences]);
      return 'why';
    };
    expect(deletions(unwanted, contested)).toMatchObject([
      { verb: 'defer', child: { name: 'old' }, reason: 'Contested', message: 'why' },
    ]);
    const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'old' };
    expect(asked).toContainEqual(['delete', child, 'old', []]);
  });
});
