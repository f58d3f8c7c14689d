import { describe, expect, it } from 'vitest';
import { historyOf } from '../../infra/dashboard/looks/resource-history.ts';
import { withRuns } from '../../infra/dashboard/page/state/runs-of.ts';
import type { EventView, ResourceView } from '../../infra/dashboard/views.ts';
import { present } from '../../shared/json.ts';
import type { ManagedFieldsEntry, ObjectMeta } from '../../shared/kubernetes.ts';
import type { Condition } from '../../shared/plan/observed/conditions.ts';
import type { Mark } from '../../shared/plan/observed/rollout-mark.ts';
import { markMessages } from '../../shared/rollout/marks.ts';
import { manyResources } from './synthetic.ts';

const at = (minute: number): string => `2026-01-01T10:${String(minute).padStart(2, '0')}:00Z`;

const written = (manager: string, minute: number, subresource?: string): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: at(minute),
  fieldsType: 'FieldsV1',
  fieldsV1: {},
  ...present({ subresource }),
});

const metaOf = (...managedFields: readonly ManagedFieldsEntry[]): ObjectMeta => ({
  name: 'shop',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: at(0),
  managedFields,
});

const condition = (type: string, over: Partial<Condition> = {}): Condition => ({
  type,
  status: 'True',
  reason: 'Because',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: at(5),
  ...over,
});

const event = (over: Partial<EventView> = {}): EventView => ({
  at: at(6),
  type: 'Normal',
  reason: 'Repaired',
  message: 'Service shop: was gone',
  count: 1,
  of: 'Website default/shop',
  ...over,
});

const mark = (reason: Mark['reason']): Mark => ({
  reason,
  since: at(5),
  statusSince: at(3),
  target: undefined,
});

const nothing = {
  title: 'Website shop',
  meta: undefined,
  rollout: undefined,
  conditions: [],
  events: [],
  children: [],
};
const child = { title: 'Job shop-migrate', health: 'complete' };

type Row = readonly [
  reason: string,
  known: Partial<Parameters<typeof historyOf>[0]>,
  want: readonly string[],
];

const rows: readonly Row[] = [
  ['its creator', { meta: metaOf(written('kubectl', 0)) }, ['0 Website shop created by kubectl']],
  [
    'the last change of each writer, newest first, without statuses',
    { meta: metaOf(written('kubectl', 1), written('helm', 3), written('us', 4, 'status')) },
    [
      '3 Website shop changed by helm',
      '1 Website shop changed by kubectl',
      '0 Website shop created',
    ],
  ],
  [
    'a child, and the last report of its controller',
    { children: [{ ...child, meta: metaOf(written('us', 0), written('kcm', 2, 'status')) }] },
    ['2 Job shop-migrate reported complete', '0 Job shop-migrate created by us'],
  ],
  [
    'a condition without a message, without a colon',
    { conditions: [condition('Available')] },
    ['5 Available became True Because'],
  ],
  [
    'a condition about a problem, marked',
    { conditions: [condition('Ready', { status: 'False', message: 'no' })] },
    ['5 Ready became False Because: no !'],
  ],
  [
    'equal conditions once',
    { conditions: [condition('Ready', { status: 'False' }), condition('Stalled')] },
    ['5 Ready became False, Stalled became True Because !'],
  ],
  ['the wait for a rollout', { rollout: mark('Waiting') }, [`3 Waiting ${markMessages.Waiting}`]],
  [
    'a rollout that was halted, after the wait',
    { rollout: mark('RolloutHalted') },
    [`5 RolloutHalted ${markMessages.RolloutHalted} !`, `3 Waiting ${markMessages.Waiting}`],
  ],
  [
    'a rollout that is over',
    { rollout: mark('RolledOut') },
    [`3 RolledOut ${markMessages.RolledOut}`],
  ],
  [
    'Events with their number, warnings marked',
    { events: [event({ count: 3 }), event({ at: at(7), type: 'Warning' })] },
    ['7 Repaired Service shop: was gone !', '6 Repaired Service shop: was gone (3 times)'],
  ],
];

describe('the history of a resource shows', () => {
  it.each(rows)('%s', (_, known, want) => {
    const found = historyOf({ ...nothing, ...known }).map(({ at: time, of, title, text, isBad }) =>
      [new Date(time).getUTCMinutes(), of, title, text, isBad ? '!' : ''].filter(
        (one) => one !== undefined && one !== '',
      ),
    );
    expect(found.map((one) => one.join(' '))).toEqual(want);
  });

  it('at most 100 entries', () => {
    const events = Array.from({ length: 300 }, (_, minute) => event({ at: at(minute % 60) }));
    expect(historyOf({ ...nothing, events }).length).toBe(100);
  });

  it('the runs that changed this resource, by kind or plural, and no Event twice', () => {
    const [resource] = manyResources(1)().resources as [ResourceView];
    const names = ['websites.kubecon.my.domain team-0/shop-0', 'Website team-0/shop-0'];
    const run = (minute: number, of: string, trigger: 'resync' | 'Event' = 'resync') => ({
      at: Date.parse(at(minute)),
      trigger,
      changes: [
        { of, text: 'updated Service a' },
        { of: 'Website team-0/other', text: 'no' },
        { of, text: 'created Secret b' },
      ],
    });
    const found = withRuns(historyOf({ ...nothing, events: [event()] }), resource, {
      source: 'processes',
      runs: [
        run(9, names[0] ?? ''),
        run(1, names[1] ?? ''),
        run(8, names[1] ?? '', 'Event'),
        run(7, 'Website team-0/shop-01'),
      ],
    });
    expect(found.map(({ source, text }) => [source, text])).toEqual([
      ['run', 'updated Service a; created Secret b'],
      ['Event', 'Service shop: was gone'],
      ['run', 'updated Service a; created Secret b'],
    ]);
  });
});
