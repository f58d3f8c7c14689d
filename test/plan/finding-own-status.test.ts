import { describe, expect, it } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type Finding, withOwnStatus } from '../../shared/plan/status/finding.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';

const resource = observeResource(foo());
const ready: Finding = {
  summary: { state: 'Ready' },
  desired: [],
  others: [],
  acted: true,
  applied: {},
};
const reads = new Map();
const throwing: Kind = {
  ...fooKind,
  ownStatus: () => {
    throw new Error('no port');
  },
};
const message = "the kind's code fails: no port";

describe('withOwnStatus', () => {
  it('adds the fields that the kind returns, and changes no other', () => {
    expect(withOwnStatus({ kind: fooKind, resource, reads }, ready)).toEqual({
      ...ready,
      own: { fields: { availableReplicas: 0 }, conditions: [] },
    });
  });

  it("makes the resource Stalled if the kind's code throws, so that its status fields are kept", () => {
    expect(withOwnStatus({ kind: throwing, resource, reads }, ready)).toEqual({
      ...ready,
      summary: { state: 'Stalled', reason: 'InvalidSpec', message },
      error: message,
    });
  });

  it('keeps the error of `children`, because it is the reason why nothing is written', () => {
    const summary = { state: 'Stalled', reason: 'InvalidSpec', message: 'no name' } as const;
    const found = { ...ready, summary, error: 'no name' };
    expect(withOwnStatus({ kind: throwing, resource, reads }, found)).toEqual(found);
  });

  it.each([
    ['appends another stall to the error', 'Stalled', `${message}; Foo a exists`],
    ['omits a transient state', 'Reconciling', message],
  ] as const)('%s', (_, state, want) => {
    const summary = { state, reason: 'ErrResourceExists', message: 'Foo a exists' };
    const found = withOwnStatus({ kind: throwing, resource, reads }, { ...ready, summary });
    expect(found).toMatchObject({ summary: { reason: 'InvalidSpec', message: want } });
    expect(found.error).toBe(message);
  });
});
