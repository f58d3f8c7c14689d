import { describe, expect, it } from 'vitest';
import { factsOf } from '../../infra/cli/doctor/resource-facts.ts';
import type { ManagedFieldsEntry } from '../../shared/kubernetes.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { identity } from '../support/observe.ts';
import { foo } from '../support/resources.ts';

const entry = (over: Partial<ManagedFieldsEntry>): ManagedFieldsEntry => ({
  manager: 'kubectl-edit',
  operation: 'Update',
  apiVersion: 'example.com/v1alpha1',
  time: '2026-11-21T10:38:31Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  ...over,
});
const { time: _, ...scaled } = entry({ manager: 'kubectl', subresource: 'scale' });

interface Case {
  readonly reason: string;
  readonly generation: number;
  readonly managedFields: readonly ManagedFieldsEntry[];
  readonly want: boolean;
}

const waiting: Record<string, Case> = {
  Reconciled: {
    reason: 'its generation is in the conditions',
    generation: 1,
    managedFields: [entry({})],
    want: false,
  },
  Edited: {
    reason: 'a run should have read it',
    generation: 2,
    managedFields: [entry({ time: '2026-11-21T11:00:00Z' })],
    want: true,
  },
  Scaled: {
    reason: 'since when is unknown: a scale has no time, and the dated edit was reconciled',
    generation: 2,
    managedFields: [entry({}), scaled],
    want: false,
  },
  ScaledThenEdited: {
    reason: 'it waits at least since the edit',
    generation: 3,
    managedFields: [entry({ time: '2026-11-21T11:00:00Z' }), scaled],
    want: true,
  },
};

describe('a resource', () => {
  it.each(Object.entries(waiting))('%s', (_, { reason, generation, managedFields, want }) => {
    const live = foo({ metadata: { generation, managedFields } });
    expect(factsOf(fooKind, live, { identity, writtenAt: [] }).isWaiting, reason).toBe(want);
  });
});
