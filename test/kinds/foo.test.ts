import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Note, Progress, StatusInput } from '../../shared/kinds/kind.ts';
import { foo } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { findingsOf } from '../support/findings.ts';

const resource = {
  name: 'bar',
  namespace: 'default',
  uid: 'u1',
  createdAt: '2026-01-01T00:00:00Z',
  spec: { deploymentName: 'web', replicas: 2 },
};

const child = (name: string, controller: string, replicas?: object): Child => ({
  type: deployment,
  name,
  handsOver: ['spec.replicas'],
  body: {
    spec: {
      ...replicas,
      selector: { matchLabels: { app: 'nginx', controller } },
      template: {
        metadata: { labels: { app: 'nginx', controller } },
        spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
      },
    },
  },
});

interface Case {
  readonly reason: string;
  readonly given: object;
  readonly want: readonly Child[] | { readonly invalid: unknown };
}

const invalid = (message: string | RegExp) => ({
  invalid: typeof message === 'string' ? message : expect.stringMatching(message),
});

const cases: Record<string, Case> = {
  'F-3 Replicas': {
    reason: 'a given number is ours',
    given: {},
    want: [child('web', 'bar', { replicas: 2 })],
  },
  'F-1 NoReplicas': {
    reason: 'an omitted number is not ours',
    given: { spec: { deploymentName: 'web' } },
    want: [child('web', 'bar')],
  },
  'F-2 Empty': {
    reason: 'without a name there is no child',
    given: { spec: { deploymentName: '', replicas: 1 } },
    want: invalid('deploymentName must be specified'),
  },
  'F-2 Absent': {
    reason: 'an omitted name is empty',
    given: { spec: {} },
    want: invalid('deploymentName must be specified'),
  },
  'F-2 NoSpec': {
    reason: 'a Foo without a spec has no name',
    given: { spec: undefined },
    want: invalid('deploymentName must be specified'),
  },
  'C-9 ReplicasBelow': {
    reason: 'there is at least one',
    given: { spec: { deploymentName: 'web', replicas: 0 } },
    want: invalid(/^spec\.replicas /),
  },
  'C-9 ReplicasAbove': {
    reason: 'there are at most ten',
    given: { spec: { deploymentName: 'web', replicas: 11 } },
    want: invalid(/^spec\.replicas /),
  },
  'C-9 Fraction': {
    reason: 'a number of pods is an integer',
    given: { spec: { deploymentName: 'web', replicas: 1.5 } },
    want: invalid(/^spec\.replicas /),
  },
  'C-9 NumberAsName': {
    reason: 'a number is not a name',
    given: { spec: { deploymentName: 5 } },
    want: invalid(/^spec\.deploymentName /),
  },
  'C-12 LongName': {
    reason: 'a label value ends at 63 characters',
    given: { name: 'b'.repeat(100) },
    want: [child('web', expect.stringMatching(/^b{52}_[0-9a-f]{10}$/), { replicas: 2 })],
  },
};

describe('child of a Foo', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(foo.desired({ ...resource, ...given })).toEqual(want);
  });
});

const live = (availableReplicas: number): StatusInput['children'] => [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'web',
    facts: { availableReplicas },
    upToDate: true,
    readiness: { state: 'Current' },
  },
];

const statuses: Record<string, { reason: string; given: StatusInput['children']; want: object }> = {
  'F-4 Available': {
    reason: 'it is that of the Deployment',
    given: live(3),
    want: { availableReplicas: 3 },
  },
  'F-4 None': {
    reason: 'without a Deployment there are no pods',
    given: [],
    want: { availableReplicas: 0 },
  },
};

describe('status of a Foo', () => {
  it.each(casesOf(statuses))('%s', (_, { given, want }) => {
    const found = findingsOf({ name: 'bar', children: given });
    expect(foo.ownStatus(found).fields).toEqual(want);
  });
});

const synced: Note = { type: 'Normal', reason: 'Synced', message: 'Foo synced successfully' };
const notes: Record<string, { reason: string; given: Progress; want: readonly Note[] }> = {
  'F-5 Brought': {
    reason: 'all desired children are in place, and were not before',
    given: { newGeneration: true, completed: true, changes: [] },
    want: [synced],
  },
  'F-5 Steady': {
    reason: 'it is not posted on every run',
    given: { newGeneration: false, completed: false, changes: [] },
    want: [],
  },
};

describe('notes of a Foo', () => {
  it.each(casesOf(notes))('%s', (_, { given, want }) => {
    expect(foo.notes(given)).toEqual(want);
  });
});
