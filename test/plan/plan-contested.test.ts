import { describe, expect, it } from 'vitest';
import { website as websiteKind } from '../../shared/kinds/website.ts';
import type { Contested } from '../../shared/plan/decision.ts';
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

describe('a field that is fought over', () => {
  it('is left to the next tick, and the writer named', () => {
    expect(planOf(websiteKind, website(), { live, contested: () => true })).toEqual(
      planned([
        decision('Deployment', 'website-sample', {
          verb: 'defer',
          reason: 'Contested',
          message:
            'Deployment website-sample: spec.replicas is set again and again by kubectl; repaired at ticks only',
        }),
        decision('Service', 'website-sample', none),
      ]),
    );
  });

  it('is asked about only where something would be written', () => {
    const asked: unknown[] = [];
    const contested: Contested = ({ kind }, differences) => {
      asked.push([kind, differences]);
      return false;
    };
    planOf(websiteKind, website(), { live, contested });
    expect(asked).toEqual([['Deployment', [replicasBack]]]);
  });
});
