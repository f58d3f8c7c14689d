import { expectConverged, expectReliable } from 'serverless-reconciler/testing';
import { expect, test, vi } from 'vitest';
import { isWhole } from '../../properties/runs.ts';
import { alerting, contactPoint, muteTiming, notificationTemplate } from './alerting/alerting.ts';
import { notificationPolicy } from './alerting/policies.ts';
import { alertRuleGroup } from './alerting/rules.ts';
import { dashboard } from './dashboards.ts';
import { datasource } from './datasources.ts';
import { all, given, selecting } from './fixtures.ts';
import { folder } from './folders.ts';
import { grafana } from './grafana.ts';
import { passedOn } from './spec.ts';

vi.setConfig({ testTimeout: 400_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

test.each([
  [folder, 'ConfigMap sales-folder-shop'],
  [dashboard, 'ConfigMap orders-dashboard-shop'],
  [datasource, 'Secret orders-datasource-shop'],
  [alertRuleGroup, 'Secret orders-rules-shop'],
  [contactPoint, 'Secret pager-contact-shop'],
  [notificationPolicy, 'Secret all-policy-shop'],
  [notificationTemplate, 'Secret short-template-shop'],
  [muteTiming, 'Secret weekend-mute-shop'],
])('a $kind obeys the laws of the engine', async (kind, made) => {
  const { children } = await expectConverged(all, { kind, given });
  expect(children).toEqual([made]);
});

test.each([grafana, folder, dashboard, datasource, ...alerting])(
  'no spec of a $kind breaks a law',
  async (kind) => {
    const about = kind === grafana ? { given: selecting, passedOn } : { given };
    await expectReliable(all, { kind, ...about, ...search });
  },
);
