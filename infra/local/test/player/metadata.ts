import type { Random } from '../../chaos/random.ts';
import { absent, list, make, maybe, one, rarely, record, some } from './random.ts';

export const managers = ['ours', 'theirs', 'third'] as const;

const someUid = '11111111-2222-4333-8444-555555555555';

const owner = record({
  apiVersion: one('v1', 'apps/v1'),
  kind: one('ConfigMap', 'Deployment'),
  name: one('x', 'y'),
  uid: one(someUid, someUid, '{live.metadata.uid}', ''),
  controller: maybe(one(true, false)),
  blockOwnerDeletion: maybe(one(true, false)),
});

const made = record({
  labels: maybe(
    record({ a: maybe(one('1', '2', '')), b: maybe(one('1', '2')), c: rarely(12, 'bad value!') }),
  ),
  annotations: maybe(record({ a: maybe(one('1', '2')), 'example.com/b': maybe(one('1', '{}')) })),
  finalizers: rarely(
    4,
    one(some('example.com/a', 'example.com/b'), ['example.com/a'], list(0, 1, 'bad')),
  ),
  ownerReferences: rarely(5, list(0, 2, owner)),
});

const locks = {
  right: '{live.metadata.resourceVersion}',
  stale: '{first.metadata.resourceVersion}',
};

/** Chooses the version and the uid on which a write claims to be based. */
const lock = record({
  resourceVersion: one(locks.right, locks.right, locks.right, locks.stale, '1', '0', 'abc', ''),
  uid: rarely(3, one('{live.metadata.uid}', '{live.metadata.uid}', someUid, '')),
});

const uidLock = record({ uid: one('{live.metadata.uid}', someUid) });

/** Chooses metadata for an object of this name, with a lock once in `lockedOneIn` times. */
export function metadataOf(name: string, random: Random, lockedOneIn: number) {
  const parts = [made, rarely(lockedOneIn, lock), rarely(40, uidLock), rarely(40, strangers)];
  const values = parts.map((part) => make(part, random)).filter((value) => value !== absent);
  return Object.assign({ name }, ...values) as Readonly<Record<string, unknown>>;
}

/** Fields that only the server, or nobody, may set. */
const strangers = one(
  { creationTimestamp: '2020-01-01T00:00:00Z' },
  { deletionTimestamp: '2020-01-01T00:00:00Z' },
  { creationTimestamp: null },
  { managedFields: [] },
  { managedFields: [{}] },
  {
    managedFields: [{ manager: 'm', operation: 'Other', apiVersion: 'v1', fieldsType: 'FieldsV1' }],
  },
  { managedFields: [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'Other' }] },
  { namespace: 'elsewhere' },
  { namespace: '{ns}' },
  { name: 'elsewhere' },
  { name: '' },
  { generateName: 'x-' },
);

const precondition = record({
  uid: maybe(one('{live.metadata.uid}', '{live.metadata.uid}', someUid)),
  resourceVersion: maybe(one(locks.right, locks.right, locks.stale, '1')),
});

export const deleteOptions = record({
  propagationPolicy: maybe(one('Background', 'Foreground', 'Orphan', 'Background', 'Other')),
  preconditions: rarely(3, precondition),
  gracePeriodSeconds: rarely(4, one(0, 5, -1)),
  orphanDependents: rarely(12, one(true, false)),
});

/** Sends no policy, because a dry run that changes finalizers answers with an empty object. */
export const dryDelete = record({ dryRun: one(['All'], ['Other']) });
