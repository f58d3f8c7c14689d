import { expect, test } from 'vitest';
import {
  child,
  deployment,
  horizontalPodAutoscaler,
  podDisruptionBudget,
  statefulSet,
} from '../../index.ts';
import type { Child } from '../../shared/kinds/child.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { laws } from '../../testing/law.ts';
import { problemsByLaw } from '../../testing/reliable/children-laws.ts';

const workload = (type: typeof deployment, app: string, replicas: number): Child => {
  const labels = { app, part: 'shop' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'app:1' }] },
  };
  const selector = { matchLabels: labels };
  return child(type, { name: app, body: { spec: { replicas, selector, template } } });
};

const scaler = (kind: string): Child => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind, name: 'web' };
  const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 5 };
  return child(horizontalPodAutoscaler, { name: kind.toLowerCase(), body: { spec } });
};

const budget = (
  amount: JsonObject,
  selector: JsonObject = { matchLabels: { app: 'web' } },
): Child => child(podDisruptionBudget, { name: 'web', body: { spec: { selector, ...amount } } });

const web = workload(deployment, 'web', 3);
const api = workload(statefulSet, 'api', 1);
const whole = { matchExpressions: [{ key: 'part', operator: 'In', values: ['shop'] }] };

test.each<[string, readonly Child[], string | undefined]>([
  ['at least 2 of 3 pods', [web, budget({ minAvailable: 2 })], undefined],
  ['at least 3 of 3 pods', [web, budget({ minAvailable: 3 })], '3 pods of Deployment web'],
  ['at least 66% of 3 pods', [web, budget({ minAvailable: '66%' })], undefined],
  ['at least 80% of 3 pods', [web, budget({ minAvailable: '80%' })], '3 pods of Deployment web'],
  ['1% of 3 pods evicted', [web, budget({ maxUnavailable: '1%' })], undefined],
  ['0% of 3 pods evicted', [web, budget({ maxUnavailable: '0%' })], '3 pods of Deployment web'],
  [
    'at least 2 of 2 pods of an autoscaler',
    [web, scaler('Deployment'), budget({ minAvailable: 2 })],
    '2 pods of Deployment web',
  ],
  [
    'at least 2 of 3 pods beside an autoscaler of another kind',
    [web, scaler('StatefulSet'), budget({ minAvailable: 2 })],
    undefined,
  ],
  ['at least 3 pods of two workloads', [web, api, budget({ minAvailable: 3 }, whole)], undefined],
  [
    'all pods of two workloads',
    [web, api, budget({ minAvailable: '99%' }, whole)],
    '4 pods of Deployment web and StatefulSet api',
  ],
  [
    'pods of no workload',
    [web, budget({ minAvailable: 9 }, { matchLabels: { app: 'x' } })],
    undefined,
  ],
])(
  'a disruption budget blocks evictions only if the API server allows none: %s',
  (_, children, blocked) => {
    const [, problems] = problemsByLaw(children, {}).find(([law]) => law === laws.evictable) ?? [];
    expect(problems).toEqual(
      blocked === undefined
        ? []
        : [
            `PodDisruptionBudget web: it allows no eviction of the ${blocked}, so their nodes cannot be drained`,
          ],
    );
  },
);
