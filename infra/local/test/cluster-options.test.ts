import { describe, expect, test } from 'vitest';
import { type LocalClusterOptions, startLocalCluster } from '../cluster.ts';

const options = [
  {
    given: { port: 'abc' },
    want: 'startLocalCluster.port: "abc" is invalid; it must be an integer between 0',
  },
  { given: { port: 70_000 }, want: 'startLocalCluster.port: 70000' },
  { given: { controllers: 'foo' }, want: '"foo" is invalid; it must be one of running, paused' },
  { given: { podsReadyAfterMs: -5 }, want: 'startLocalCluster.podsReadyAfterMs: -5' },
  { given: { podsReadyAfterMs: Number.POSITIVE_INFINITY }, want: 'podsReadyAfterMs' },
  {
    given: { onAudits: () => undefined },
    want: 'unknown field onAudits; known fields: port, tokens',
  },
  { given: { clock: new Date() }, want: 'startLocalCluster.clock: ' },
  {
    given: { tokens: { secret: {} } },
    want: 'tokens[sec…].username: undefined is invalid; it must be a string',
  },
];

describe('startLocalCluster', () => {
  test.each(options)('refuses $given', async ({ given, want }) => {
    await expect(startLocalCluster(given as LocalClusterOptions)).rejects.toThrow(want);
  });
});

const status = { kind: 'status', code: 500 };
const faults = [
  {
    given: { verb: 'lst', effect: status },
    want: 'fault.verb: "lst" is invalid; it must be one of get, list',
  },
  {
    given: { nth: 0, effect: status },
    want: 'fault.nth: 0 is invalid; it must be an integer of at least 1',
  },
  { given: { times: -1, effect: status }, want: 'fault.times: -1' },
  { given: { kind: 'services', effect: status }, want: 'fault: unknown field kind' },
  { given: {}, want: 'fault.effect: undefined is invalid' },
  {
    given: { effect: { kind: 'nope' } },
    want: 'kind "nope" is unknown; known kinds: status, drop',
  },
  { given: { effect: 500 }, want: 'fault.effect: 500 is unknown' },
  { given: { effect: { kind: 'status', code: 403 } }, want: 'fault.effect.code: 403 is invalid' },
  { given: { effect: { kind: 'delay', ms: -1 } }, want: 'fault.effect.ms: -1' },
  { given: { effect: { kind: 'drop' } }, want: 'fault.effect.when: undefined' },
];

describe('a fault', () => {
  test.each(faults)('is refused as $given', async ({ given, want }) => {
    const cluster = await startLocalCluster({ controllers: 'paused' });
    try {
      expect(() => cluster.faults.add(given as never)).toThrow(want);
      expect((await fetch(`${cluster.url}/api/v1/namespaces`)).status).toBe(200);
    } finally {
      await cluster.stop();
    }
  });
});
