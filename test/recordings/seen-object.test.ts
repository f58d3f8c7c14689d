import { expect, test } from 'vitest';
import { conditionEntries } from '../../infra/recordings/history/seen-object.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';

const time = '2026-11-26T03:00:00Z';
const metadata = { name: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: time };
const object = { kind: 'Website', name: 'shop' };

test.each([
  ['Ready', 'True', 'Ready', 'all children are ready', 'Ready True'],
  ['Ready', 'False', 'Progressing', '1 of 2', 'Ready False Progressing: 1 of 2'],
  [
    'Drifted',
    'True',
    'Drifted',
    'spec.replicas 5 → 2',
    'Drifted True Drifted: spec.replicas 5 → 2',
  ],
  ['Up', 'Unknown', 'Up', 'no response', 'Up Unknown Up: no response'],
])(
  'a condition %s %s with the reason %s is shown with its message "%s", unless there is no problem',
  (type, status, reason, message, want) => {
    const conditions = [{ type, status, reason, message, lastTransitionTime: time }];
    const seen = { type: deployment, live: { metadata, status: { conditions } } };
    expect(conditionEntries(seen, object, 'us').map(({ entry }) => entry.why)).toEqual([want]);
  },
);
