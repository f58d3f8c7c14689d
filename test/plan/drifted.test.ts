import { describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import { withoutWrite } from '../../shared/plan/decision/reasons.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { driftedOf } from '../../shared/plan/status/drifted.ts';

const about = (name: string) => ({
  type: deployment,
  namespace: 'default',
  child: { apiVersion: 'apps/v1', kind: 'Deployment', name },
});
const lock = { uid: 'u', resourceVersion: '7' };
const writer = { manager: 'kubectl', time: '2026-11-26T10:00:00Z' };
const replicas = { path: 'spec.replicas', from: 5, to: 2, writer };
const updateOf = (
  name: string,
  differences: Extract<Decision, { verb: 'update' }>['differences'],
): Decision => ({
  ...about(name),
  verb: 'update',
  lock,
  fields: {},
  differences,
});
const planOf = (...decisions: readonly Decision[]): Plan => ({
  state: 'planned',
  desiredKeys: [],
  decisions: decisions.map(withoutWrite),
  exposures: [],
  deletions: [],
});
const drift = (...decisions: readonly Decision[]) =>
  driftedOf({ observeOnly: true }, planOf(...decisions));

describe('the condition Drifted', () => {
  it('names child, field, values and writer, without a time', () => {
    expect(drift(updateOf('a', [replicas]))).toEqual({
      type: 'Drifted',
      status: 'True',
      reason: 'Drifted',
      message: 'Deployment a: spec.replicas 5 → 2, changed by kubectl',
    });
  });

  it('names each child that differs, is missing or is no longer desired', () => {
    const all = [
      updateOf('a', undefined),
      { ...about('b'), verb: 'create', fields: {}, existed: false } as const,
      { ...about('c'), verb: 'delete', lock } as const,
    ];
    expect(drift(...all)?.message).toBe(
      'Deployment a: differs; Deployment b: does not exist; Deployment c: no longer desired',
    );
  });

  it('lists the changes of several writes of one child together', () => {
    const paths = { path: 'spec.rules', writer };
    const moved = updateOf('a', [{ ...paths, from: 1, to: 2 }]);
    const withdrawal = { ...paths, from: 2, to: 3, writer: undefined };
    const withdraw = { ...about('a'), verb: 'withdraw', lock, difference: withdrawal } as const;
    expect(drift(moved, withdraw)?.message).toBe(
      'Deployment a: spec.rules 1 → 3, changed by kubectl',
    );
    expect(drift(withdraw, { ...about('a'), verb: 'delete', lock })?.message).toBe(
      'Deployment a: spec.rules 2 → 3; no longer desired',
    );
  });

  it('names new values before takeovers, which may not fit into the message', () => {
    const taken = { ...replicas, path: 'metadata.labels.app', from: 'a', to: 'a' };
    expect(drift(updateOf('a', [taken, replicas]))?.message).toBe(
      'Deployment a: spec.replicas 5 → 2, changed by kubectl; metadata.labels.app taken over by kubectl',
    );
  });

  it('limits the length of the text about a child', () => {
    const many = Array.from({ length: 400 }, (_, at) => ({ ...replicas, path: `spec.field${at}` }));
    expect(drift(updateOf('a', many))?.message).toHaveLength(1024);
  });

  it('is False only if all children were compared', () => {
    const none = { ...about('a'), verb: 'none' } as const;
    const fail = { verb: 'fail', reason: 'Forbidden', message: 'no', transient: false } as const;
    expect(drift(none)?.status).toBe('False');
    expect(drift(none, { ...about('b'), ...fail })?.status).toBe('Unknown');
    const invalid: Plan = { state: 'invalid', message: 'no' };
    expect(driftedOf({ observeOnly: true }, invalid)?.status).toBe('Unknown');
  });

  it('is absent from a resource that is not only observed', () => {
    expect(driftedOf({ observeOnly: false }, planOf())).toBeUndefined();
  });
});
