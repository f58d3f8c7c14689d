import { describe, expect, it } from 'vitest';
import { readDelivery } from '../../shared/audit/delivery.ts';
import { readAuditEvent } from '../../shared/audit/record.ts';
import { present } from '../../shared/json.ts';
import { auditEvent, childTypes } from './samples.ts';
import { others, senders } from './senders.ts';

const source = { types: childTypes };
const entry = readAuditEvent(auditEvent());
const watched = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  namespace: 'default',
  name: 'foo',
  verb: 'update',
  user: '',
  time: '2026-11-20T20:19:26.819Z',
  failed: false,
  dryRun: false,
};

describe('readDelivery', () => {
  it.each(Object.entries(senders))(
    'reads the audit entry that %s sends',
    (_, { body, headers, ...sender }) => {
      const { records, problem, dropped } = readDelivery(body, {
        ...source,
        ...present({ headers }),
      });
      expect({ problem, dropped }, sender.source).toEqual({ problem: undefined, dropped: {} });
      const want = sender.isWatch ? watched : entry;
      expect(records, sender.source).toEqual([
        { ...want, ...present({ clusters: sender.clusters }) },
      ]);
    },
  );

  it.each(Object.entries(others))(
    'counts %s as dropped, by its contents',
    (_, { body, dropped, isProblem }) => {
      expect(readDelivery(body, source)).toMatchObject({
        records: [],
        dropped: { [dropped]: 1 },
        problem: isProblem ? dropped : undefined,
      });
    },
  );

  it('reads the entries of several senders in one body, and reports those that it cannot read', () => {
    const bodies = [...Object.values(senders), ...Object.values(others)].map(({ body }) => body);
    const { records, dropped, problem } = readDelivery([...bodies, 5], source);
    const unread = Object.keys(senders).filter((name) => senders[name]?.headers !== undefined);
    expect(records).toHaveLength(Object.keys(senders).length - unread.length);
    expect(problem).toBeDefined();
    expect(Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(
      Object.keys(others).length + unread.length + 1,
    );
  });
});
