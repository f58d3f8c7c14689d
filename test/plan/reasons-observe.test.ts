import { describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import { withoutWrite } from '../../shared/plan/decision/reasons.ts';

const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' };
const about = { type: deployment, namespace: 'default', child };
const lock = { uid: 'u', resourceVersion: '7' };
const create: Decision = { ...about, verb: 'create', fields: {}, existed: true };
const remove: Decision = { ...about, verb: 'delete', lock };
const update: Decision = {
  ...about,
  verb: 'update',
  lock,
  fields: {},
  differences: [],
};
const wait = { ...about, verb: 'wait', reason: 'DependencyPending', message: 'waits' } as const;
const missing = {
  ...about,
  verb: 'block',
  reason: 'ChildMissing',
  message: 'Deployment shop does not exist; nothing is written, because its owner is only observed',
};
const differs = {
  ...about,
  verb: 'hold',
  reason: 'ObservedOnly',
  message:
    'Deployment shop differs from the desired state; nothing is written, because its owner is only observed',
};

const cases: Record<
  string,
  { readonly reason: string; readonly given: Decision; readonly want: unknown }
> = {
  Create: {
    reason: 'a missing child makes the resource not Ready',
    given: create,
    want: { ...missing, drift: create },
  },
  Update: {
    reason: 'a pending write is reported as drift',
    given: update,
    want: { ...differs, drift: update },
  },
  Delete: {
    reason: 'a pending write is reported as drift',
    given: remove,
    want: { ...differs, drift: remove },
  },
  Consolidate: {
    reason: 'old entries in managedFields are no drift',
    given: { ...about, verb: 'consolidate', lock },
    want: { ...about, verb: 'none' },
  },
  Postponed: {
    reason: 'a write that waits for another child is reported as drift',
    given: { ...wait, postponed: { write: create, until: child } },
    want: { ...missing, drift: create },
  },
  Waiting: { reason: 'an obstacle is reported unchanged', given: wait, want: wait },
  None: {
    reason: 'the child is up to date',
    given: { ...about, verb: 'none' },
    want: { ...about, verb: 'none' },
  },
};

describe('a decision for a resource that is only observed', () => {
  it.for(Object.entries(cases))('%s', ([, { reason, given, want }]) => {
    expect(withoutWrite(given), reason).toEqual(want);
  });
});
