import { describe, expect, it } from 'vitest';
import { createNarrator } from '../../infra/start/narrator.ts';

function printed(
  ...lines: readonly (readonly [who: string, line: object | string])[]
): readonly string[] {
  const written: string[] = [];
  const narrator = createNarrator(
    (text) => written.push(text),
    () => new Date(2026, 0, 1, 10, 2, 3),
  );
  for (const [who, line] of lines)
    narrator.printLog(who, typeof line === 'string' ? line : JSON.stringify(line));
  expect(narrator.lines()).toEqual(written);
  return written.map((line) => line.trimEnd());
}

const key = 'foos.example.com default/f';
const child = 'Deployment a';
const quiet = { message: 'resynced', trigger: 'tick', resources: { total: 2, reconciled: 0 } };

describe('the narrator', () => {
  it('prints what happened to a child, and who changed what', () => {
    const changes = ['spec.replicas 5 → 2, changed by kubectl'];
    expect(printed(['audit', { message: 'child updated', key, child, changes }])).toEqual([
      `10:02:03  audit   ${key}: Deployment a updated: ${changes[0]}`,
    ]);
  });

  it('prints why something failed', () => {
    expect(printed(['tick', { message: 'child blocked', key, child, error: 'it exists' }])).toEqual(
      [`10:02:03  tick    ${key}: Deployment a blocked: it exists`],
    );
  });

  it('prints once that there is nothing to do, and again after a change', () => {
    const busy = { ...quiet, resources: { total: 2, reconciled: 1 }, durationMs: 7 };
    expect(printed(['tick', quiet], ['tick', quiet], ['tick', busy], ['tick', quiet])).toEqual([
      '10:02:03  tick    2 resources, nothing to do',
      '10:02:03  tick    1 of 2 resources reconciled in 7 ms',
      '10:02:03  tick    2 resources, nothing to do',
    ]);
  });

  it('escapes terminal sequences and line breaks in untrusted text', () => {
    const error = 'no\u001b[2J\u202e\n10:02:03  tick    2 resources, nothing to do';
    expect(printed(['tick', { message: 'child failed', key, child, error }])).toEqual([
      `10:02:03  tick    ${key}: Deployment a failed: no\\u001b[2J\\u202e\n${' '.repeat(18)}10:02:03  tick    2 resources, nothing to do`,
    ]);
  });

  it('leaves a line that is not JSON as it is', () => {
    expect(printed(['tick', 'TypeError: no'])).toEqual(['10:02:03  tick    TypeError: no']);
  });
});
