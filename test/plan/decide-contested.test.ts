import { describe, expect, it } from 'vitest';
import type { FightDetector } from '../../shared/plan/drift/contest.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { decision, none, planned, planOf } from '../support/decisions.ts';
import { scaled } from '../support/edits.ts';
import { website } from '../support/resources.ts';

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
        contested: () => 'why',
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

  it('is looked up only if the child would be written', () => {
    const asked: unknown[] = [];
    const contested: FightDetector = ({ child, differences }) => {
      asked.push([child.kind, differences]);
      return undefined;
    };
    planOf(websiteKind, website(), { live, contested });
    expect(asked).toEqual([['Deployment', [replicasBack]]]);
  });
});
