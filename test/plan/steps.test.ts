import { describe, expect, it } from 'vitest';
import { deployment, secret } from '../../shared/kinds/child-types.ts';
import { type Decision, isWriteDecision, versionOf } from '../../shared/plan/decision.ts';
import { newFields } from '../../shared/plan/new-fields.ts';
import { observeChild } from '../../shared/plan/observed.ts';
import { type Basis, expectedSteps, needsLive } from '../../shared/plan/steps.ts';
import * as live from '../support/children.ts';
import { create, decision, none, remove, update, wait } from '../support/decisions.ts';

const child = live.websiteDeployment();
const fields = { spec: { replicas: 2 } };
const engine = 'serverless-reconciler';

/** As text: verb and manager. */
const sent = (given: Decision, over: Partial<Basis> = {}) =>
  isWriteDecision(given)
    ? expectedSteps(given, { observed: observeChild(child), live: undefined, ...over }).map(
        (step) =>
          'manager' in step
            ? `${step.verb} ${step.manager}`
            : 'what' in step
              ? `${step.verb} ${step.what}`
              : step.verb,
      )
    : [];

const cases = {
  Nothing: { reason: 'a child without drift takes no request', given: none, want: [] },
  Waiting: { reason: 'a waiting child takes no request', given: wait('shop'), want: [] },
  Create: {
    reason: 'one apply with the absent-lock',
    given: create(fields, false),
    want: [`apply ${engine}`],
  },
  Generated: {
    reason: 'generated data first, under its own manager',
    given: { ...create(fields, false), generates: ['password'] },
    want: [`apply ${engine}-generated`, `apply ${engine}`],
  },
  Update: {
    reason: 'one apply',
    given: update(child, fields, {}),
    want: [`apply ${engine}`],
  },
  HandOver: {
    reason: 'a field given up is taken by a second manager first',
    given: update(child, {}, { handOver: fields }),
    want: [`apply ${engine}-handover`, `apply ${engine}`],
  },
  Partners: {
    reason: 'the object is read, and nothing is removed without a conflict',
    given: update(child, fields, { removesIncompatible: true }),
    want: ['get', `apply ${engine}`],
  },
  Consolidate: {
    reason: 'read whole, then patched',
    given: {
      verb: 'consolidate',
      lock: versionOf(child.metadata),
    },
    want: ['get', `patch ${engine}`],
  },
  Delete: { reason: 'one request', given: remove(child), want: ['check resource', 'delete'] },
} as const;

describe('the steps of a decision', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(sent(decision('Deployment', 'shop', given)), reason).toEqual(want);
  });

  it('an object without managers: before-first-apply is consolidated afterwards', () => {
    const bare = { ...child, metadata: { ...child.metadata, managedFields: [] } };
    const given = decision('Deployment', 'shop', update(bare, fields, {}));
    expect(sent(given, { observed: observeChild(bare), live: bare })).toEqual([
      `apply ${engine}`,
      `patch ${engine}`,
    ]);
  });
});

it('needsLive: if managedFields are not enough', () => {
  const lost = {
    path: 'metadata.managedFields',
    from: undefined,
    to: undefined,
    writer: undefined,
  };
  const needs = (over: Parameters<typeof update>[2]) =>
    needsLive(decision('Deployment', 'shop', update(child, fields, over)));
  expect([needs({}), needs({ removesIncompatible: true }), needs({ differences: [lost] })]).toEqual(
    [false, true, true],
  );
});

describe('newFields', () => {
  it('names every leaf, items of lists by name or index', () => {
    const container = { name: 'a', ports: [{ containerPort: 80 }], args: [] };
    const given = { spec: { replicas: 0, template: { spec: { containers: [container] } } } };
    const found = newFields({ type: deployment, fields: given });
    expect(found.map(({ path, to }) => [path, to])).toEqual([
      ['spec.replicas', 0],
      ['spec.template.spec.containers[name="a"].name', 'a'],
      ['spec.template.spec.containers[name="a"].ports[0].containerPort', 80],
      ['spec.template.spec.containers[name="a"].args', []],
    ]);
  });

  it('D-3 of a Secret only that its values are', () => {
    const given = { data: { user: 'dQ==' }, metadata: { labels: { a: 'b' } } };
    const found = newFields({ type: secret, fields: given, generates: ['password'] });
    expect(found.map(({ path, to }) => [path, to])).toEqual([
      ['data.user', '(secret changed)'],
      ['metadata.labels.a', 'b'],
      ['data.password', '(secret changed)'],
    ]);
  });
});
