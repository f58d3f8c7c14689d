import { describe, expect, it } from 'vitest';
import type { Cluster, Selection } from '../../shared/cluster/cluster.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { createLog, type Log } from '../../shared/log.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { openLookups } from '../../shared/run/lookups.ts';
import { clusterOf, serviceOf } from './services.ts';

const now = '2026-11-22T12:00:00Z';
const log = createLog(() => undefined, 'ERROR');

describe('the node ports of a cluster', () => {
  it('are each held by a Service, and listed once', async () => {
    const { cluster, lists } = clusterOf([
      serviceOf('internal', {}),
      serviceOf('headless', { ports: [{ port: 80 }], healthCheckNodePort: 0 }),
      serviceOf('two', { ports: [{ nodePort: 30_001 }, { nodePort: 30_002 }] }),
      serviceOf('local', { ports: [{ nodePort: 30_003 }], healthCheckNodePort: 30_004 }),
    ]);
    const { nodePorts } = openLookups(cluster, { identity: defaultIdentity, log });
    const [holders, again] = await Promise.all([nodePorts(), nodePorts()]);
    expect([...holders]).toEqual([
      [30_001, 'Service team/two'],
      [30_002, 'Service team/two'],
      [30_003, 'Service team/local'],
      [30_004, 'Service team/local, as its healthCheckNodePort'],
    ]);
    expect(await nodePorts()).toBe(again);
    expect(lists()).toBe(1);
  });
});

describe('our Events of a namespace', () => {
  interface Listed {
    readonly type: unknown;
    readonly selection: Selection;
  }
  function world(events: readonly object[], fails?: Error) {
    const listed: Listed[] = [];
    const warnings: unknown[] = [];
    const list = async (type: unknown, selection: Selection, each: (one: object) => void) => {
      listed.push({ type, selection });
      for (const one of events) each(one);
      if (fails !== undefined) throw fails;
    };
    const log = { warning: (...line: unknown[]) => warnings.push(line) } as unknown as Log;
    const cluster = { list } as unknown as Cluster;
    const { repairs } = openLookups(cluster, { log, identity: defaultIdentity });
    return { repairs, listed, warnings };
  }
  const event = (uid: string, message: string) => ({
    message,
    lastTimestamp: now,
    involvedObject: { uid },
  });

  it('are listed once for each namespace, however often they are requested', async () => {
    const { repairs, listed } = world([event('u', 'one'), event('v', 'two'), event('u', 'three')]);
    const [found, again] = await Promise.all([repairs('a'), repairs('a')]);
    expect(again).toBe(found);
    expect(await repairs('a')).toBe(found);
    expect([...found]).toEqual([
      [
        'u',
        [
          { message: 'one', time: now },
          { message: 'three', time: now },
        ],
      ],
      ['v', [{ message: 'two', time: now }]],
    ]);
    await repairs('b');
    expect(listed).toEqual(
      ['a', 'b'].map((namespace) => ({
        type: eventType,
        selection: {
          namespace,
          fields: { reason: 'Repaired', reportingComponent: 'serverless-reconciler' },
        },
      })),
    );
  });

  it('have the lengths that we write', async () => {
    const events = [
      event('u', 'm'.repeat(1_024)),
      event('u', 'm'.repeat(1_025)),
      event('u'.repeat(64), ''),
      event('u'.repeat(65), ''),
      {},
    ];
    const found = await world(events).repairs('a');
    expect([...found.keys()]).toEqual(['u', 'u'.repeat(64), '']);
    expect(found.get('u')).toHaveLength(1);
    expect(found.get('')).toEqual([{ message: '', time: '' }]);
  });

  it('are at most 10,000', async () => {
    const events = Array.from({ length: 10_001 }, () => event('u', ''));
    const found = await world(events).repairs('a');
    expect(found.get('u')).toHaveLength(10_000);
  });

  it('are those that were read if the list fails, which is logged', async () => {
    const { repairs, warnings } = world([event('u', 'one')], new Error('lost'));
    expect((await repairs('a')).get('u')).toHaveLength(1);
    expect(warnings).toEqual([['events not listed', { namespace: 'a', error: 'lost' }]]);
  });
});
