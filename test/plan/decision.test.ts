import { describe, expect, it } from 'vitest';
import { isWriteDecision, versionOf } from '../../shared/plan/decision/decision.ts';
import { fooDeployment } from '../support/children.ts';
import { create, decision, none, remove, update, wait } from '../support/decisions.ts';

const live = fooDeployment();

describe('a decision', () => {
  it.each([
    ['creates', create({}, false), true],
    ['updates', update(live, {}, {}), true],
    ['deletes', remove(live), true],
    ['waits', wait('sample'), false],
    ['changes nothing', none, false],
  ])('that %s is classified as a write or not', (_, body, expected) => {
    expect(isWriteDecision(decision('Deployment', 'sample', body))).toBe(expected);
  });

  it('is locked to the uid and the resourceVersion of the object', () => {
    const { uid, resourceVersion } = live.metadata;
    expect(versionOf(live.metadata)).toEqual({ uid, resourceVersion });
  });
});
