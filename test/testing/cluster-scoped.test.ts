import { expect, it } from 'vitest';
import { expectConverged } from '../../testing/expect-converged.ts';
import { team } from '../support/team.ts';

it('a cluster-scoped kind with its own Namespaces keeps the laws', async () => {
  const { children, repaired } = await expectConverged(team);
  expect(children).toEqual([
    'ClusterRole team-team-sample',
    'Namespace team-sample',
    'ResourceQuota team-sample/team-team-sample',
    'LimitRange team-sample/team-team-sample',
    'NetworkPolicy team-sample/team-team-sample',
    'RoleBinding team-sample/team-team-sample',
    'ConfigMap team-sample/team-team-sample',
    'ConfigMap default/team-team-sample',
  ]);
  expect(repaired).toBeGreaterThan(50);
});
