import { expect, it } from 'vitest';
import { persistentVolumeClaim } from '../../index.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { keepGrown } from '../../shared/plan/drift/kept-values.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import { liveOf } from '../child-types/cases.ts';
import { casesOf } from '../support/cases.ts';
import { identity } from '../support/observe.ts';

const sized = (storage: string, more: JsonObject = {}): JsonObject => ({
  spec: { volumeMode: 'Block', resources: { ...more, requests: { storage } } },
});
const held = { 'f:spec': { 'f:resources': { 'f:requests': { 'f:storage': {} } } } };

interface Case {
  readonly reason: string;
  readonly live: string;
  readonly desired: JsonObject;
  readonly phase?: string;
  /** Our Apply entry holds the size, and no other manager does. */
  readonly isOurs?: true;
  readonly want: JsonObject;
}

const cases: Record<string, Case> = {
  Grown: {
    reason: 'a size that another manager has enlarged is left to it, without an empty map',
    live: '3Gi',
    desired: sized('1Gi'),
    want: { spec: { volumeMode: 'Block' } },
  },
  GrownBesideLimits: {
    reason: 'other fields of the claim are kept',
    live: '3Gi',
    desired: sized('1Gi', { limits: { storage: '9Gi' } }),
    want: { spec: { volumeMode: 'Block', resources: { limits: { storage: '9Gi' } } } },
  },
  LessDesired: {
    reason: 'a size that no other manager holds is kept',
    live: '3Gi',
    desired: sized('1Gi'),
    isOurs: true,
    want: sized('3Gi'),
  },
  SameInOtherUnits: {
    reason: 'quantities are compared by value',
    live: '1Gi',
    desired: sized('1024Mi'),
    want: sized('1024Mi'),
  },
  MoreDesired: {
    reason: 'a size that the spec increases is kept',
    live: '1Gi',
    desired: sized('2Gi'),
    want: sized('2Gi'),
  },
  NoQuantity: {
    reason: 'a smaller size is kept, and the API server will refuse it',
    live: '3Gi',
    desired: sized('much'),
    want: sized('much'),
  },
};

it.each(casesOf(cases))('%s', (_, { reason, phase = 'Bound', ...one }) => {
  const live = liveOf(persistentVolumeClaim, { ...sized(one.live), status: { phase } });
  const entry = { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' } as const;
  const managedFields = [
    { ...entry, manager: one.isOurs ? identity.name : 'autoscaler', fieldsV1: held },
  ];
  const observed = observeChild(
    persistentVolumeClaim,
    { ...live, metadata: { ...live.metadata, managedFields } },
    { identity },
  );
  expect(keepGrown(one.desired, observed), reason).toEqual(one.want);
});
