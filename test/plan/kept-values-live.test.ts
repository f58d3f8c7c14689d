import { describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { label } from '../../shared/kinds/names.ts';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { keepLive } from '../../shared/plan/drift/kept-values.ts';
import { merged } from '../../shared/plan/drift/untangle.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { applied, edited, scaled } from '../support/edits.ts';
import { observeChild } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { fieldsOfChild } from '../support/worlds.ts';

const withReplicas = fieldsOfChild(foo(), 'Deployment');
const withoutReplicas = fieldsOfChild(foo({ spec: { replicas: undefined } }), 'Deployment');
const replicasOnly = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'foo-sample' },
  spec: { replicas: 1 },
};

const { [label.partOf]: _, ...otherLabels } = fooDeployment().metadata.labels ?? {};

interface Case {
  readonly reason: string;
  readonly live: KubeObject;
  readonly desired?: JsonObject;
  readonly whole?: JsonObject;
  readonly handsOver?: readonly string[];
  readonly initial?: readonly string[];
  readonly want: JsonObject | undefined;
}

const cases: Record<string, Case> = {
  'F-1 TakenAway': {
    reason: 'a field of ours that is no longer desired keeps its live value',
    live: fooDeployment(),
    want: { spec: { replicas: 1 } },
  },
  'F-1 StillDesired': {
    reason: 'a desired field is not kept',
    live: fooDeployment(),
    desired: withReplicas,
    want: undefined,
  },
  'F-1 Scaled': {
    reason: 'a field that another manager owns is left to it',
    live: scaled(fooDeployment(), 5),
    want: undefined,
  },
  'F-1 Shared': {
    reason: 'a field that another manager applies, too, is left to it',
    live: applied(fooDeployment(), { by: 'argocd' }, replicasOnly),
    want: undefined,
  },
  'F-1 OtherField': {
    reason: 'a manager of other fields does not prevent that',
    live: edited(fooDeployment(), { by: 'kubectl' }, ({ spec }) => {
      spec.paused = true;
    }),
    want: { spec: { replicas: 1 } },
  },
  'F-1 NeverOurs': {
    reason: 'without managedFields no field is kept',
    live: edited(fooDeployment(), { by: 'kubectl' }, ({ metadata }) => {
      metadata.managedFields = [{}];
    }),
    want: undefined,
  },
  Partly: {
    reason:
      'of a map in which another manager has changed a field, the other fields keep their values',
    live: edited(fooDeployment(), { by: 'kubectl' }, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, [label.partOf]: 'other' };
    }),
    desired: { metadata: {}, spec: {} },
    handsOver: ['metadata.labels'],
    want: { metadata: { labels: otherLabels } },
  },
  Unmanaged: {
    reason: 'without managedFields no list item counts as new',
    live: edited(fooDeployment(), { by: 'kubectl' }, ({ metadata }) => {
      metadata.managedFields = [{}];
    }),
    desired: { spec: { template: { spec: { containers: [{ name: 'nginx' }] } } } },
    whole: { spec: { template: { spec: { containers: [{ name: 'nginx', image: 'a' }] } } } },
    initial: ['spec.template.spec.containers[name="nginx"].image'],
    want: undefined,
  },
  NewItem: {
    reason: 'a list item that the child lacks gets its initial value',
    live: edited(fooDeployment(), { by: 'kubectl' }, ({ spec }) => {
      spec.template = {
        ...(spec.template as JsonObject),
        spec: { containers: [{ name: 'other' }] },
      };
    }),
    desired: { spec: { template: { spec: { containers: [{ name: 'nginx' }] } } } },
    whole: { spec: { template: { spec: { containers: [{ name: 'nginx', image: 'a' }] } } } },
    initial: ['spec.template.spec.containers[name="nginx"].image'],
    want: { spec: { template: { spec: { containers: [{ name: 'nginx', image: 'a' }] } } } },
  },
  NoneDeclared: {
    reason: 'only fields that the kind names are kept',
    live: fooDeployment(),
    handsOver: [],
    want: undefined,
  },
  Several: {
    reason: 'each field is kept under its own path',
    live: fooDeployment(),
    desired: { metadata: {}, spec: {} },
    handsOver: ['spec.replicas', 'spec.selector', 'metadata.labels'],
    want: {
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'nginx', controller: 'foo-sample' } },
      },
      metadata: { labels: fooDeployment().metadata.labels ?? {} },
    },
  },
};

it('an initial value that the server drops because it is empty is applied again', () => {
  const fields = { spec: { template: {} } };
  const whole = { spec: { template: {}, paused: false } };
  const observed = observeChild(fooDeployment());
  const ours = observed.ours && { ...observed.ours, dropped: ['spec.paused'] };
  const given = { initial: ['spec.paused'] };
  expect(keepLive(given, { fields, whole }, { ...observed, ours })?.fields).toEqual(whole);
  expect(keepLive(given, { fields, whole }, observed)?.fields).toEqual(fields);
});

describe('keepLive', () => {
  it.each(casesOf(cases))('%s', (_, { reason, live, want, ...given }) => {
    const { desired = withoutReplicas, whole = desired, initial = [] } = given;
    const { handsOver = given.initial ? [] : ['spec.replicas'] } = given;
    const child = { type: deployment, name: 'foo-sample', body: {}, handsOver, initial };
    const kept = keepLive(child, { fields: desired, whole }, observeChild(live));
    expect(kept?.fields ?? desired, reason).toEqual(merged(desired, want ?? {}));
  });
});
