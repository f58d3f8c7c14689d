import { describe, expect, it } from 'vitest';
import type { FightDetector } from '../../shared/plan/drift/contest.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { fooDeployment, websiteDeployment, websiteService } from '../support/children.ts';
import { decision, none, planned, planOf } from '../support/decisions.ts';
import { scaled } from '../support/edits.ts';
import { foo, website } from '../support/resources.ts';

const live = [scaled(websiteDeployment(), 5), websiteService()];
const replicasBack = {
  path: 'spec.replicas',
  from: 5,
  to: 2,
  writer: { manager: 'kubectl', time: undefined },
};

describe('a contested field', () => {
  it('is left to the next resync', () => {
    expect(
      planOf(websiteKind, website(), {
        live,
        contested: () => ({ reason: 'Contested', message: 'why' }),
      }),
    ).toEqual(
      planned([
        decision('Deployment', 'website-sample', {
          verb: 'defer',
          reason: 'Contested',
          message: 'why',
        }),
        decision('Service', 'website-sample', none),
      ]),
    );
  });

  it('is asked about only if something would be written', () => {
    const asked: unknown[] = [];
    const contested: FightDetector = ({ child, differences }) => {
      asked.push([child.kind, differences]);
      return undefined;
    };
    planOf(websiteKind, website(), { live, contested });
    expect(asked).toEqual([['Deployment', [replicasBack]]]);
  });
});

describe('an unwanted child', () => {
  const unwanted = fooDeployment({ metadata: { name: 'old' } });
  const deletions = (contested: FightDetector) => {
    const there = planOf(fooKind, foo(), { live: [fooDeployment(), unwanted], contested });
    return there.state === 'planned' ? there.deletions : there.state;
  };

  it('is deleted by the next resync if others create it again', () => {
    const asked: unknown[] = [];
    const contested: FightDetector = ({ verb, child, observed, differences }) => {
      asked.push([verb, child, observed?.name, differences]);
      return { reason: 'Contested', message: 'why' };
    };
    expect(deletions(contested)).toMatchObject([
      { verb: 'defer', child: { name: 'old' }, reason: 'Contested', message: 'why' },
    ]);
    const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'old' };
    expect(asked).toContainEqual(['delete', child, 'old', []]);
  });
});
