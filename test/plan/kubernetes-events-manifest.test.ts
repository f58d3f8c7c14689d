import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Note } from '../../shared/kinds/kind.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import type { ConditionSummary } from '../../shared/plan/observed/conditions.ts';
import {
  changeText as describeDifference,
  type EventRecord,
  eventManifest,
  eventsFor,
} from '../../shared/plan/status/kubernetes-events.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { identity, observeResource } from '../support/observe.ts';
import { website } from '../support/resources.ts';

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'website-sample' };
const scaled: Outcome = {
  child: deployment,
  result: 'updated',
  differences: [
    { path: 'spec.replicas', from: 5, to: 2, writer: { manager: 'kubectl', time: undefined } },
  ],
  version: 'u/9',
};
const blocked = {
  child: deployment,
  result: 'blocked',
  reason: 'ErrResourceExists',
  message: 'it exists',
} as const;
const stalled: ConditionSummary = {
  state: 'Stalled',
  reason: 'ErrResourceExists',
  message: 'it exists',
};
const before = '2026-11-21T10:38:35Z';
const now = '2026-11-21T12:00:00Z';
const warning: Note = { type: 'Warning', reason: 'ErrResourceExists', message: 'it exists' };
const strings: Record<string, { reason: string; given: Partial<Difference>; want: string }> = {
  Changed: {
    reason: 'a changed field has both values and the writer',
    given: { from: 5, to: 2, writer: { manager: 'kubectl', time: before } },
    want: 'a.b 5 → 2, changed by kubectl',
  },
  Desired: {
    reason: 'a newly desired value has no writer',
    given: { from: 'x', to: 'y' },
    want: 'a.b "x" → "y"',
  },
  Removed: {
    reason: 'a removed field has no writer',
    given: { to: 'x' },
    want: 'a.b (none) → "x"',
  },
  Dropped: {
    reason: 'a field that is no longer desired is removed',
    given: { from: { c: 1 } },
    want: 'a.b {"c":1} → (none)',
  },
  TakenOver: {
    reason: 'a field with an equal value was only taken over',
    given: { from: 'x', to: 'x', writer: { manager: 'kubectl', time: before } },
    want: 'a.b taken over by kubectl',
  },
  'D-3 Secret': {
    reason: 'values of a Secret are concealed, and the writer is shown',
    given: {
      from: '(secret)',
      to: '(secret changed)',
      writer: { manager: 'kubectl', time: before },
    },
    want: 'a.b (secret changed), changed by kubectl',
  },
  'D-3 SecretDropped': {
    reason: 'the previous value of a Secret is concealed, too',
    given: { from: '(secret)' },
    want: 'a.b (secret changed)',
  },
  'D-3 SecretTakenOver': {
    reason: 'a field with an equal value was only taken over',
    given: { from: '(secret)', to: '(secret)', writer: { manager: 'kubectl', time: before } },
    want: 'a.b taken over by kubectl',
  },
  'C-3 User': {
    reason: 'the user is shown if an audit entry names the user',
    given: {
      from: 5,
      to: 2,
      writer: {
        manager: 'kubectl',
        time: before,
        actor: { user: 'jane', agent: undefined, time: now },
      },
    },
    want: 'a.b 5 → 2, changed by jane at 12:00 UTC (audit log)',
  },
  Long: {
    reason: 'a text of the maximum length is kept',
    given: { from: 'x'.repeat(1012), to: 'y' },
    want: `a.b "${'x'.repeat(1012)}" → "y"`,
  },
  TooLong: {
    reason: 'a longer text is cut off',
    given: { from: 'x'.repeat(1013), to: 'y' },
    want: `a.b "${'x'.repeat(1013)}" → "…`,
  },
  Cleared: { reason: 'a difference without details is empty', given: {}, want: 'a.b cleared' },
};

describe('the text of a difference', () => {
  it.each(casesOf(strings))('%s', (_, { given, want }) => {
    const difference = { path: 'a.b', from: undefined, to: undefined, writer: undefined, ...given };
    expect(describeDifference(difference)).toBe(want);
  });
});

const subjectOf = (live: KubeObject, name = identity.name) => ({
  identity: { name },
  kind: websiteKind,
  resource: observeResource(live),
});

const event = (
  { now: at = now, ...over }: Partial<EventRecord & { now: string }> = {},
  live: KubeObject = website(),
) => eventManifest(subjectOf(live), { ...warning, of: before, ...over }, at);
const nameOf = (...given: Parameters<typeof event>): string => event(...given).metadata.name;

describe('eventManifest', () => {
  it('C-8 is an Event about the resource', () => {
    expect(event()).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: expect.stringMatching(/^website-sample\.[0-9a-f]{16}$/),
        namespace: 'default',
      },
      involvedObject: {
        apiVersion: 'kubecon.my.domain/v1beta1',
        kind: 'Website',
        name: 'website-sample',
        namespace: 'default',
        uid: website().metadata.uid,
        resourceVersion: '286',
      },
      type: 'Warning',
      reason: 'ErrResourceExists',
      message: 'it exists',
      source: { component: 'serverless-reconciler' },
      reportingComponent: 'serverless-reconciler',
      reportingInstance: 'serverless-reconciler',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    });
  });

  const same: Record<string, { reason: string; given: Parameters<typeof event>; want: boolean }> = {
    SecondTry: {
      reason: 'has the same name for a later attempt after a status write',
      given: [{ now: before }, website({ metadata: { resourceVersion: '999' } })],
      want: true,
    },
    OtherMessage: {
      reason: 'has another name for another message',
      given: [{ message: 'x' }],
      want: false,
    },
    OtherReason: {
      reason: 'has another name for another reason',
      given: [{ reason: 'X' }],
      want: false,
    },
    Recurrence: {
      reason: 'has another name after another condition',
      given: [{ of: now }],
      want: false,
    },
    OtherGeneration: {
      reason: 'has another name for another generation',
      given: [{}, website({ metadata: { generation: 2 } })],
      want: false,
    },
    OtherObject: {
      reason: 'has another name for another Website of the same name',
      given: [{}, website({ metadata: { uid: 'other' } })],
      want: false,
    },
  };
  it.each(casesOf(same))('C-8 its name: %s', (_, { given, want }) => {
    expect(nameOf(...given) === nameOf()).toBe(want);
  });

  it('C-12 has a legal name for any name of the resource', () => {
    const part = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    const names = fc.array(part, { minLength: 1, maxLength: 9 }).map((parts) => parts.join('.'));
    const legal = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(name.length <= 253);
        const made = nameOf({}, website({ metadata: { name } }));
        expect(made).toMatch(legal);
        expect(made.length).toBeLessThanOrEqual(253);
      }),
    );
  });

  it.each([
    ['a'.repeat(253), 'a'.repeat(200)],
    [`${'a'.repeat(197)}--.b`, 'a'.repeat(197)],
  ])('C-12 cuts off the end of %s', (name, want) => {
    const live = website({ metadata: { name } });
    expect(nameOf({}, live).replace(/\.[0-9a-f]{16}$/, '')).toBe(want);
  });

  it('cuts off a message that is too long', () => {
    const { message } = event({ message: 'x'.repeat(2000) });
    expect(message).toBe(`${'x'.repeat(1023)}…`);
  });
});

describe('the name of an Event', () => {
  const nameOf = (live: KubeObject, ...outcomes: readonly Outcome[]): string | undefined => {
    const observed = observeResource(live);
    const events = eventsFor(websiteKind, observed, { summary: stalled, outcomes });
    return events[0] && eventManifest(subjectOf(live), events[0], now).metadata.name;
  };
  const condition = (over: object) =>
    website({
      status: { conditions: [{ ...(website().status.conditions as object[])[0], ...over }] },
    });
  const conditions = (...all: readonly object[]) => {
    const [ready] = website().status.conditions as object[];
    return website({ status: { conditions: all.map((one) => ({ ...ready, ...one })) } });
  };
  const kept: Record<
    string,
    { reason: string; given: () => (string | undefined)[]; want: boolean }
  > = {
    SecondTry: {
      reason: 'a run that repeats an interrupted one uses the same name',
      given: () => [nameOf(website(), blocked), nameOf(website(), blocked)],
      want: true,
    },
    Recurrence: {
      reason: 'the name differs if the resource was Ready in between',
      given: () => [
        nameOf(website(), blocked),
        nameOf(condition({ lastTransitionTime: now }), blocked),
      ],
      want: false,
    },
    StalledBefore: {
      reason: 'the name depends on the condition that explains why it was not Ready',
      given: () => [
        nameOf(conditions({ type: 'Stalled', reason: 'A' }, { type: 'Ready' }), blocked),
        nameOf(conditions({ type: 'Stalled', reason: 'B' }, { type: 'Ready' }), blocked),
      ],
      want: false,
    },
    ReconcilingBefore: {
      reason: 'the name depends on an earlier Reconciling condition',
      given: () => [
        nameOf(conditions({ type: 'Ready' }, { type: 'Reconciling', reason: 'A' }), blocked),
        nameOf(conditions({ type: 'Ready' }, { type: 'Reconciling', reason: 'B' }), blocked),
      ],
      want: false,
    },
    OtherInBetween: {
      reason: 'the name differs if the resource was stalled for another reason in between',
      given: () => [
        nameOf(condition({ status: 'False', reason: 'A', message: 'a' }), blocked),
        nameOf(condition({ status: 'False', reason: 'B', message: 'b' }), blocked),
      ],
      want: false,
    },
    SameRepair: {
      reason: 'the same repair has the same name',
      given: () => [nameOf(website(), scaled), nameOf(website(), scaled)],
      want: true,
    },
    OtherRepair: {
      reason: 'a second repair of the same change has another name',
      given: () => [nameOf(website(), scaled), nameOf(website(), { ...scaled, version: 'u/10' })],
      want: false,
    },
  };
  it.each(casesOf(kept))('C-8 its name: %s', (_, { given, want }) => {
    const [one, other] = given();
    expect(one).toBeDefined();
    expect(one === other).toBe(want);
  });
});
