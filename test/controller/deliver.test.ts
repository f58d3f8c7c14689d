import { expect, test } from 'vitest';
import { readDelivery } from '../../shared/audit/delivery.ts';
import { deliver, selectionFor } from '../../shared/controller/deliver.ts';
import type { Reconciler } from '../../shared/controller/reconciler.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { job } from '../../shared/kinds/child-types/batch.ts';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import type { Report } from '../../shared/resync/report.ts';
import { auditEvent, eventList } from '../audit/samples.ts';
import { reconcilerAgainst } from '../support/reconciler.ts';

const named = { namespace: 'team-a', name: 'x' };

test.each([
  ['a child', { children: [{ type: deployment, ...named }], referred: [] }],
  [
    'an object that resources refer to',
    { children: [], referred: [{ type: configMap, ...named }] },
  ],
])('runs caused by %s use the slots of its namespace', async (_, changed) => {
  const { reconciler: made } = reconcilerAgainst('https://10.0.0.1');
  const lanes: string[] = [];
  const report = { incomplete: [], undone: [], unkept: 0 } as Partial<Report>;
  const reconciler: Reconciler = {
    ...made,
    enqueue: async (_, { key, lane }) => {
      lanes.push(lane);
      const owners = { requests: [{ kind: 'Foo', ...named }], errors: [] };
      return (key.startsWith('owners ') ? owners : report) as never;
    },
  };
  await deliver(reconciler, {
    trigger: 'audit',
    requests: [],
    isElsewhere: false,
    reported: { causes: [], since: undefined },
    dropped: {},
    ...changed,
  });
  expect(lanes).toEqual(['team-a', 'team-a']);
  await made.close();
});

test.each([
  ['may succeed later fails, so that it is sent again', { transient: true }, true],
  ['cannot succeed without a change is acknowledged', {}, false],
] as const)('a delivery whose list of children %s', async (_, how, isSentAgain) => {
  const { reconciler: made } = reconcilerAgainst('https://10.0.0.1');
  const incomplete = [
    { kind: 'services', error: 'cannot list services', ofChildren: true, ...how },
  ];
  const report = { incomplete, notServed: [], undone: [], unkept: 0 };
  const delivered = deliver(
    { ...made, enqueue: async () => report as never },
    {
      trigger: 'audit',
      requests: [{ kind: 'Foo', ...named }],
      children: [],
      referred: [],
      isElsewhere: false,
      reported: { causes: [], since: undefined },
      dropped: {},
    },
  );
  if (isSentAgain) await expect(delivered).rejects.toMatchObject({ kind: 'transient' });
  else expect(await delivered).toMatchObject({ report: { incomplete } });
  await made.close();
});

test('with DRY_RUN a delivery returns the first 200 resources that need work, and counts the others', async () => {
  const { reconciler: made } = reconcilerAgainst('https://10.0.0.1', { DRY_RUN: 'true' });
  const undone = Array.from({ length: 203 }, (_, at) => `foos.example.com default/${at}`);
  const report = { incomplete: [], notServed: [], undone, unkept: 0 };
  const delivery = readDelivery({ version: 1, request: { kind: 'Foo', ...named } });
  const reconciler: Reconciler = { ...made, enqueue: async () => report as never };
  const { report: returned } = await deliver(reconciler, selectionFor(reconciler, delivery));
  expect(returned).toMatchObject({ undone: undone.slice(0, 200), moreUndone: 3 });
  await made.close();
});

test.each([
  ['a request message', { version: 1, request: { kind: 'bars' } }, 'INFO'],
  ['an audit entry', eventList(auditEvent({ verb: 'get' })), 'DEBUG'],
])('%s that selects nothing is logged at its own level', async (_, body, severity) => {
  const { reconciler, logged } = reconcilerAgainst('https://10.0.0.1');
  await deliver(reconciler, selectionFor(reconciler, readDelivery(body)));
  expect(logged).toMatchObject([{ severity, message: 'nothing to reconcile' }]);
  await reconciler.close();
});

test.each([
  ['end', [{ subresource: 'status' }], { ended: true }],
  ['end and deletion', [{ subresource: 'status' }, { verb: 'delete' }], { deleted: true }],
  ['end and another write', [{ subresource: 'status' }, {}], {}],
])('the entries for the %s of a Job select it, in any order', async (_, entries, want) => {
  const { reconciler: made } = reconcilerAgainst('https://10.0.0.1');
  const [foo] = made.config.kinds.filter(({ kind }) => kind === 'Foo');
  const kinds = foo === undefined ? [] : [{ ...foo, owns: [job] }];
  const reconciler = { ...made, config: { ...made.config, kinds } };
  const jobs = { apiGroup: 'batch', apiVersion: 'v1', resource: 'jobs', ...named };
  const events = entries.map(({ verb = 'patch', ...part }: { verb?: string }) =>
    auditEvent({ verb, objectRef: { ...jobs, ...part } }),
  );
  for (const items of [events, events.toReversed()]) {
    const { children } = selectionFor(reconciler, readDelivery(eventList(...items)));
    expect(children).toEqual([{ type: job, ...named, ...want }]);
  }
  await made.close();
});
