import { describe, expect, it } from 'vitest';
import { present } from '../../shared/json.ts';
import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import { dryRunResultFor, recordFor } from '../../shared/plan/decision/apply-records.ts';
import type { ContestedWorld } from '../../shared/plan/drift/contest.ts';
import { type Applied, desiredDigest, recordText } from '../../shared/plan/observed/applied.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import type { MarkReason } from '../../shared/plan/observed/rollout-mark.ts';
import type { Asked } from '../../shared/plan/observed/world.ts';
import { plan } from '../../shared/plan/plan.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { scaled } from '../support/edits.ts';
import { identity, observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { unexplored } from '../support/unexplored.ts';
import { fieldsOfChild } from '../support/worlds.ts';

const fields = fieldsOfChild(foo(), 'Deployment');
const inPlace = observeChild(fooDeployment());
const recordOf = (child: ObservedChild, over: Partial<Applied> = {}): Applied => ({
  ...recordFor(child, fields, { generation: 1 })!,
  ...over,
});

interface Given {
  readonly live?: KubeObject;
  readonly record?: Applied;
  readonly asked?: Partial<Asked>;
  readonly comparesDaily?: boolean;
  readonly foresees?: boolean;
  readonly rollout?: MarkReason;
}

function worldOf({
  live = fooDeployment(),
  record,
  asked,
  comparesDaily,
  foresees,
  rollout: reason,
}: Given): ContestedWorld {
  const child = observeChild(live);
  const resource = observeResource(foo());
  const key = keyOf(child);
  const result: Asked = {
    version: `${child.uid}/${child.resourceVersion}`,
    desired: desiredDigest(fields),
    after: child,
    ...asked,
  };
  return {
    ...unexplored,
    identity,
    kind: fooKind,
    resource: {
      ...resource,
      ...present({ rollout: reason && { ...mark, reason } }),
      applied: record === undefined ? {} : { [key]: recordText(record) },
    },
    children: new Map([[key, child]]),
    ...(asked === undefined ? {} : { asked: new Map([[key, result]]) }),
    ...present({ comparesDaily, foresees }),
  };
}

const mark = { since: '', statusSince: '', target: undefined };

const questionsIn = (world: ContestedWorld) => {
  const planned = plan(world);
  return (planned.state === 'unseen' && planned.questions) || [];
};

const rows: Record<string, Given & { readonly reason: string; readonly asks: boolean }> = {
  'no record': { reason: 'yes, because it is unknown what was applied', asks: true },
  'in order': {
    reason: 'no, because both digests are equal',
    record: recordOf(inPlace),
    asks: false,
  },
  'other fields': {
    reason: 'yes, because the fields may differ only in order or notation',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    asks: true,
  },
  'a repair': {
    reason: 'yes, because the change decides whether this is a fight',
    live: scaled(fooDeployment(), 5),
    record: recordOf(inPlace),
    asks: true,
  },
  'a change that waits for a slot': {
    reason: 'no, because the server was asked before the wait',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    rollout: 'Waiting',
    asks: false,
  },
  'a change that waits for a slot, in a plan': {
    reason: 'yes, because the plan shows the change',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    rollout: 'Waiting',
    foresees: true,
    asks: true,
  },
  'a change that waits for a slot, of a child with drift': {
    reason: 'yes, because the drift is repaired before',
    live: scaled(fooDeployment(), 5),
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    rollout: 'Waiting',
    asks: true,
  },
  'a change that has a slot': {
    reason: 'yes, because the child may have changed since',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    rollout: 'RollingOut',
    asks: true,
  },
  'asked about a kind with other children each time': {
    reason: 'no, because there would be no end',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    asked: { desired: undefined, after: undefined },
    asks: false,
  },
  'asked already': {
    reason: 'no, because these fields and this version were sent before',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    asked: {},
    asks: false,
  },
  'asked about another version': {
    reason: 'yes, because the child has changed since',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    asked: { version: 'u/1' },
    asks: true,
  },
  'asked about other fields': {
    reason: 'yes, because the resource was edited since',
    record: recordOf(inPlace, { desired: 'xxxxxxxxxxxx' }),
    asked: { desired: 'yyyyyyyyyyyy' },
    asks: true,
  },
  'a comparison': {
    reason: 'yes, because a comparison ignores the record',
    record: recordOf(inPlace),
    comparesDaily: true,
    asks: true,
  },
};

describe('a dry run is sent', () => {
  it.each(casesOf(rows))('%s', (_, { reason, asks, ...given }) => {
    expect(questionsIn(worldOf(given)).length > 0, reason).toBe(asks);
  });

  it('never for a child that is foreign, is being deleted or cannot be read', () => {
    const record = recordOf(inPlace, { desired: 'xxxxxxxxxxxx' });
    const world = worldOf({ record });
    const [key] = [...world.children.keys()] as [string];
    for (const over of [{ controller: 'x' }, { deleting: true }, { unreadable: 'why' }]) {
      const children = new Map([[key, { ...inPlace, ...over }]]);
      expect(questionsIn({ ...world, children })).toEqual([]);
    }
  });
});

describe('the response to a dry run', () => {
  it('is used only for the version and the fields that were sent', () => {
    expect(dryRunResultFor(worldOf({ asked: {} }), inPlace, fields)).toMatchObject({
      after: inPlace,
    });
    expect(dryRunResultFor(worldOf({ asked: {} }), inPlace, { spec: {} })).toBeUndefined();
  });
});
