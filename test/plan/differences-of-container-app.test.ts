import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { changeText as describeDifference } from '../../shared/plan/status/kubernetes-events.ts';
import { casesOf } from '../support/cases.ts';
import {
  autoscalerWants,
  containerAppAutoscaler,
  containerAppIngress,
  ingressWants,
} from '../support/children-of-container-app.ts';
import { type Draft, edited } from '../support/edits.ts';
import { changesOf } from '../support/worlds.ts';

const edit = (live: KubeObject, change: (draft: Draft) => void) =>
  edited(live, { by: 'kubectl' }, change);
const authUrl = 'nginx.ingress.kubernetes.io/auth-url';

interface Case {
  readonly reason: string;
  readonly live: KubeObject;
  readonly desired: JsonObject;
  /** The differences as they are reported. */
  readonly want: readonly string[];
}

const cases: Record<string, Case> = {
  'G-6 Ingress': {
    reason: 'an untouched child has no drift',
    live: containerAppIngress(),
    desired: ingressWants,
    want: [],
  },
  'G-3 PathAdded': {
    reason: 'a manager that adds a path takes over all rules, because they are atomic',
    live: edit(containerAppIngress(), ({ spec }) => {
      spec.rules[0].http.paths[0].path = '/';
    }),
    desired: ingressWants,
    want: [expect.stringMatching(/^spec\.rules .*"path":"\/".* → .*, changed by kubectl$/)],
  },
  'G-3 Unprotected': {
    reason: 'a removed annotation comes back',
    live: edit(containerAppIngress(), ({ metadata }) => {
      delete metadata.annotations[authUrl];
    }),
    desired: ingressWants,
    want: [
      `metadata.annotations.${authUrl} (none) → "https://auth.example.com/check?scopes=a%20b"`,
    ],
  },
  'G-6 Autoscaler': {
    reason: 'an untouched child has no drift',
    live: containerAppAutoscaler(),
    desired: autoscalerWants,
    want: [],
  },
  'G-1 Bounds': {
    reason: 'a bound that was set by hand is restored',
    live: edit(containerAppAutoscaler(), ({ spec }) => {
      spec.maxReplicas = 9;
    }),
    desired: autoscalerWants,
    want: ['spec.maxReplicas 9 → 3, changed by kubectl'],
  },
  'G-1 Target': {
    reason: 'metrics are restored as a whole, because they are atomic',
    live: edit(containerAppAutoscaler(), ({ spec }) => {
      spec.metrics[0].resource.target.averageUtilization = 70;
    }),
    desired: autoscalerWants,
    want: [expect.stringMatching(/^spec\.metrics .*70.* → .*50.*, changed by kubectl$/)],
  },
  'G-5 Behavior': {
    reason: 'a scaling behavior that others add is no drift',
    live: edit(containerAppAutoscaler(), ({ spec }) => {
      spec.behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    }),
    desired: autoscalerWants,
    want: [],
  },
};

describe('drift of Ingress and HorizontalPodAutoscaler', () => {
  it.each(casesOf(cases))('%s', (_, { live, desired, want }) => {
    expect(changesOf(live, desired).map(describeDifference)).toEqual(want);
  });
});
