import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import type { Cause } from '../../shared/plan/drift/cause.ts';
import { attributed } from '../../shared/plan/drift/cause.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { changeText as inWords } from '../../shared/plan/status/kubernetes-events.ts';
import { casesOf } from '../support/cases.ts';

const child = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' };

const cause = (over: Partial<Cause> = {}): Cause => ({
  kind: 'Deployment',
  namespace: 'default',
  name: 'shop',
  verb: 'patch',
  user: 'jane@example.com',
  agent: 'kubectl',
  time: '2026-01-01T10:02:03.456Z',
  ...over,
});

const scaled: Difference = {
  path: 'spec.replicas',
  from: 5,
  to: 3,
  writer: { manager: 'kubectl', time: '2026-01-01T10:02:03Z' },
};

const removed: Difference = {
  path: 'metadata.labels.app',
  from: undefined,
  to: 'x',
  writer: undefined,
};

const cases: Record<
  string,
  { reason: string; difference: Difference; causes: readonly Cause[]; want: string }
> = {
  Fits: {
    reason: 'the audit entry has the time of the managedFields entry',
    difference: scaled,
    causes: [cause()],
    want: 'spec.replicas 5 → 3, changed by jane@example.com with kubectl at 10:02 UTC (audit log)',
  },
  NoAgent: {
    reason: 'an audit entry without a user agent names no client',
    difference: scaled,
    causes: [cause({ agent: undefined })],
    want: 'spec.replicas 5 → 3, changed by jane@example.com at 10:02 UTC (audit log)',
  },
  Zone: {
    reason: 'a time in another time zone is shown in UTC',
    difference: scaled,
    causes: [cause({ time: '2026-01-01T12:02:03+02:00' })],
    want: 'spec.replicas 5 → 3, changed by jane@example.com with kubectl at 10:02 UTC (audit log)',
  },
  OddName: {
    reason: 'a user name that reads like our own text is quoted',
    difference: scaled,
    causes: [cause({ user: 'jane with kubectl at 09:00 UTC; data.x "1"' })],
    want: 'spec.replicas 5 → 3, changed by "jane with kubectl at 09:00 UTC\\u003b data.x \\"1\\"" with kubectl at 10:02 UTC (audit log)',
  },
  OtherTime: {
    reason: 'an audit entry of a later write does not explain this field',
    difference: scaled,
    causes: [cause({ time: '2026-01-01T10:02:09Z' })],
    want: 'spec.replicas 5 → 3, changed by kubectl',
  },
  OtherChild: {
    reason: 'audit entries about another child, kind or namespace are ignored',
    difference: scaled,
    causes: [cause({ name: 'b' }), cause({ kind: 'Service' }), cause({ namespace: 'b' })],
    want: 'spec.replicas 5 → 3, changed by kubectl',
  },
  Latest: {
    reason: 'the later of two matching audit entries is used',
    difference: scaled,
    causes: [cause({ user: 'late', time: '2026-01-01T10:02:04Z' }), cause({ user: 'early' })],
    want: 'spec.replicas 5 → 3, changed by late with kubectl at 10:02 UTC (audit log)',
  },
  OddStart: {
    reason: 'a user name with a separator is quoted',
    difference: scaled,
    causes: [cause({ user: 'jane; data.x', agent: undefined })],
    want: 'spec.replicas 5 → 3, changed by "jane\\u003b data.x" at 10:02 UTC (audit log)',
  },
  TwoSeconds: {
    reason: 'the time in managedFields may be at most two seconds after the request',
    difference: scaled,
    causes: [
      cause({ user: 'early', time: '2026-01-01T10:02:01Z' }),
      cause({ user: 'late', time: '2026-01-01T10:02:05.001Z' }),
    ],
    want: 'spec.replicas 5 → 3, changed by early with kubectl at 10:02 UTC (audit log)',
  },
  Deletion: {
    reason: 'the audit entry of a deletion explains no field',
    difference: scaled,
    causes: [cause({ verb: 'delete' }), cause({ verb: 'deletecollection' })],
    want: 'spec.replicas 5 → 3, changed by kubectl',
  },
  Removed: {
    reason: 'the audit entry names who removed a field, which managedFields do not',
    difference: removed,
    causes: [cause()],
    want: 'metadata.labels.app (none) → "x", changed by jane@example.com with kubectl at 10:02 UTC (audit log)',
  },
  OurWish: {
    reason: 'a field that we still own was not changed by others',
    difference: { ...scaled, writer: undefined },
    causes: [cause()],
    want: 'spec.replicas 5 → 3',
  },
};

describe('the author of a changed field', () => {
  it.each(casesOf(cases))('%s', (_, { difference, causes, want }) => {
    const outcome: Outcome = { child, result: 'updated', differences: [difference] };
    const { differences = [] } = attributed(outcome, 'default', causes);
    expect(differences.map(inWords)).toEqual([want]);
  });
});

it.each([
  { agent: 'kubectl', want: 'kubectl' },
  { agent: undefined, want: 'unknown' },
])(
  'a writer without a manager in managedFields is named after its client: $want',
  ({ agent, want }) => {
    const outcome: Outcome = { child, result: 'updated', differences: [removed] };
    const { differences = [] } = attributed(outcome, 'default', [cause({ agent })]);
    expect(differences[0]?.writer).toMatchObject({ manager: want, actor: { agent } });
  },
);

describe('the author of a deletion', () => {
  const lost: Outcome = { child, result: 'created', existed: true };

  it('is the last user who deleted the child', () => {
    const deletion = cause({ verb: 'delete', user: 'joe' });
    expect(attributed(lost, 'default', [cause(), deletion]).by).toMatchObject({ user: 'joe' });
  });

  it('may have deleted all objects of the kind at once', () => {
    const deletion = cause({ verb: 'deletecollection', user: 'joe' });
    expect(attributed(lost, 'default', [deletion]).by).toMatchObject({ user: 'joe' });
  });

  it('is undefined for a child that still exists', () => {
    const kept: Outcome = { child, result: 'updated' };
    expect(attributed(kept, 'default', [cause({ verb: 'delete' })])).toEqual(kept);
  });

  it('is undefined if the child was only edited', () => {
    expect(attributed(lost, 'default', [cause()])).toEqual(lost);
  });
});
