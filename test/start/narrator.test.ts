import { describe, expect, it } from 'vitest';
import { createNarrator } from '../../infra/start/log/narrator.ts';

type Lines = readonly (readonly [who: string, line: object | string])[];

function printed(...lines: Lines): readonly string[] {
  const written: string[] = [];
  const narrator = createNarrator(
    (text) => written.push(text),
    () => new Date(2026, 0, 1, 10, 2, 3),
  );
  for (const [who, line] of lines)
    narrator.printLog(who, typeof line === 'string' ? line : JSON.stringify(line));
  return written.map((line) => line.trimEnd());
}

const key = 'foos.example.com default/f';
const child = 'Deployment a';
const object = 'deployment.apps/a';
const quiet = { message: 'resynced', trigger: 'resync', resources: { total: 2, reconciled: 0 } };

describe('the output of npm start', () => {
  it('prints the change of a child, and who caused it', () => {
    const changes = ['spec.replicas 5 → 2, changed by kubectl'];
    expect(printed(['audit', { message: 'child updated', key, child, object, changes }])).toEqual([
      `10:02:03  audit   deployment.apps/a updated for ${key}: ${changes[0]}`,
    ]);
  });

  it.each([
    ['edit', ', because the resource was edited'],
    [
      'reference',
      ", because the resource's labels or an object that it reads changed, a time that its kind asks about has come, or a certificate had to be renewed",
    ],
    ['code', ", because the kind's code has changed"],
    ['drift', ''],
    [undefined, ''],
  ])('prints why a child was changed: %s', (origin, because) => {
    const changes = ['spec.replicas 5 → 2'];
    const updated = { message: 'child updated', key, child, object, changes, origin };
    const deleted = { message: 'child deleted', key, child, object, origin };
    const created = { message: 'child created', key, child, object, origin };
    const blocked = { message: 'child blocked', key, child, object, origin };
    const lines: Lines = [updated, deleted, created, blocked].map((line) => ['resync', line]);
    expect(printed(...lines)).toEqual([
      `10:02:03  resync  deployment.apps/a updated for ${key}${because}: ${changes[0]}`,
      `10:02:03  resync  deployment.apps/a deleted for ${key}${because}`,
      `10:02:03  resync  deployment.apps/a created for ${key}`,
      `10:02:03  resync  deployment.apps/a blocked for ${key}`,
    ]);
  });

  it('prints the reason of a failure', () => {
    expect(
      printed(['resync', { message: 'child blocked', key, child, object, error: 'it exists' }]),
    ).toEqual([`10:02:03  resync  deployment.apps/a blocked for ${key}: it exists`]);
  });

  const busy = { ...quiet, resources: { total: 2, reconciled: 1 }, durationMs: 7 };
  const updated = { message: 'child updated', key, child, object };
  const blocked = (error: string) => ({ message: 'child blocked', key, child, object, error });

  it('prints once that there is nothing to do, and again after a change', () => {
    expect(
      printed(
        ['resync', quiet],
        ['resync', quiet],
        ['resync', updated],
        ['resync', busy],
        ['resync', quiet],
      ),
    ).toEqual([
      '10:02:03  resync  2 resources, nothing to do',
      `10:02:03  resync  deployment.apps/a updated for ${key}`,
      '10:02:03  resync  1 of 2 resources reconciled in 7 ms',
      '10:02:03  resync  2 resources, nothing to do',
    ]);
  });

  it('prints a blocked child once, and again when the reason changes', () => {
    const resync = (error: string): Lines => [
      ['resync', blocked(error)],
      ['resync', busy],
    ];
    expect(printed(...resync('a'), ...resync('a'), ...resync('a'), ...resync('b'))).toEqual([
      `10:02:03  resync  deployment.apps/a blocked for ${key}: a`,
      '10:02:03  resync  1 of 2 resources reconciled in 7 ms',
      '10:02:03  resync  2 resources, 1 still not up to date: see npm run reconciler -- status',
      `10:02:03  resync  deployment.apps/a blocked for ${key}: b`,
      '10:02:03  resync  1 of 2 resources reconciled in 7 ms',
    ]);
  });

  it.each([
    ['kind not reconciled', 'kind', 'foos.example.com'],
    ['children not listed', 'type', 'deployments.apps'],
    ['type not served', 'type', 'widgets.example.org'],
  ])('prints that a %s once for each', (message, field, name) => {
    const line = ['resync', { message, [field]: name, error: 'no' }] as const;
    const other = ['resync', { message, [field]: 'others.example.org', error: 'no' }] as const;
    const end = ['resync', quiet] as const;
    const lines = printed(line, other, end, line, other, end, end, line);
    expect(lines.filter((text) => text.includes(message))).toHaveLength(3);
  });

  it('prints a child that waits for a blocked one once', () => {
    const waiting = {
      message: 'child skipped',
      key,
      child: 'Service b',
      object: 'service/b',
      reason: 'PruningPending',
      error: 'Service b is no longer desired, but not deleted yet',
    };
    const resync: Lines = [
      ['resync', blocked('a')],
      ['resync', waiting],
      ['resync', busy],
    ];
    expect(printed(...resync, ...resync, ...resync)).toEqual([
      `10:02:03  resync  deployment.apps/a blocked for ${key}: a`,
      `10:02:03  resync  service/b skipped for ${key}: Service b is no longer desired, but not deleted yet`,
      '10:02:03  resync  1 of 2 resources reconciled in 7 ms',
      '10:02:03  resync  2 resources, 1 still not up to date: see npm run reconciler -- status',
    ]);
  });

  it('prints a blocked child again if it was not blocked in between', () => {
    const again = ['resync', blocked('a')] as const;
    const lines = printed(again, ['resync', busy], ['audit', updated], again);
    expect(lines.filter((line) => line.includes('blocked'))).toHaveLength(2);
    const gone = printed(again, ['resync', busy], ['resync', quiet], ['resync', quiet], again);
    expect(gone.filter((line) => line.includes('blocked'))).toHaveLength(2);
  });

  it('uses the singular for one resource', () => {
    const one = { ...quiet, resources: { total: 1, reconciled: 0 } };
    expect(printed(['resync', one])).toEqual(['10:02:03  resync  1 resource, nothing to do']);
  });

  it('overwrites the line about nothing to do on a terminal, and uses colours', () => {
    const written: string[] = [];
    const narrator = createNarrator(
      (text) => written.push(text),
      () => new Date(2026, 0, 1, 10, 2, 3),
      {
        isTerminal: true,
        paint: (format, text) => `<${String(format)}>${text.trim()}</>`,
      },
    );
    for (const line of [quiet, quiet, { ...updated, severity: 'INFO' }])
      narrator.printLog('resync', JSON.stringify(line));
    const time = '<dim>10:02:03</>  <cyan>resync</>';
    expect(written).toEqual([
      `${time} <dim>2 resources, nothing to do</>`,
      `\r\u001b[K${time} <dim>2 resources, nothing to do</>`,
      `\n${time} <green>deployment.apps/a updated for ${key}</>\n`,
    ]);
  });

  it('prints the line about nothing to do every ten minutes without a terminal', () => {
    const written: string[] = [];
    let minutes = 0;
    const narrator = createNarrator(
      (text) => written.push(text),
      () => new Date(2026, 0, 1, 10, minutes),
    );
    for (minutes = 0; minutes <= 20; minutes++) narrator.printLog('resync', JSON.stringify(quiet));
    expect(written.map((line) => line.slice(0, 5))).toEqual(['10:00', '10:10', '10:20']);
  });

  it('escapes terminal sequences and line breaks in untrusted text', () => {
    const error = 'no\u001b[2J\u202e\n10:02:03  resync  2 resources, nothing to do';
    expect(printed(['resync', { message: 'child failed', key, child, error }])).toEqual([
      `10:02:03  resync  Deployment a failed for ${key}: no\\u001b[2J\\u202e\n${' '.repeat(18)}10:02:03  resync  2 resources, nothing to do`,
    ]);
  });

  it('prints a line that is not JSON unchanged', () => {
    expect(printed(['resync', 'TypeError: no'])).toEqual(['10:02:03  resync  TypeError: no']);
  });
});
