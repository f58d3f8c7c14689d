import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../infra/start/options.ts';

const defaults = {
  help: false,
  context: undefined,
  samples: true,
  audit: true,
  watch: true,
  pause: false,
  intervalSeconds: 10,
  apiPort: 6443,
  resyncPort: 8080,
  auditPort: 8081,
  pagePort: 8090,
  chaos: false,
};

const accepted = {
  Nothing: { reason: 'the documented defaults', given: [], want: {} },
  Context: {
    reason: 'a cluster of the user',
    given: ['--context', 'kind'],
    want: { context: 'kind' },
  },
  Empty: {
    reason: 'no samples, no audit',
    given: ['--no-samples', '--no-audit'],
    want: { samples: false, audit: false },
  },
  NoWatch: { reason: 'kinds as at the start', given: ['--no-watch'], want: { watch: false } },
  Pause: { reason: 'the plan first', given: ['--pause'], want: { pause: true } },
  Interval: { reason: 'in seconds', given: ['--interval', '3'], want: { intervalSeconds: 3 } },
  IntervalWithUnit: {
    reason: 'as the other commands take it',
    given: ['--interval', '2h'],
    want: { intervalSeconds: 7200 },
  },
  Help: { reason: 'as the other commands have it', given: ['-h'], want: { help: true } },
  Chaos: {
    reason: 'a random seed, printed at start',
    given: ['--chaos', '--no-audit'],
    want: { chaos: { seed: undefined }, audit: false },
  },
  Seed: { reason: 'the same again', given: ['--chaos', '7'], want: { chaos: { seed: 7 } } },
  PortElsewhere: {
    reason: 'not used with --context',
    given: ['--context', 'kind', '--page-port', '8080'],
    want: { context: 'kind', pagePort: 8080 },
  },
  Port: { reason: 'with an equals sign', given: ['--api-port=7443'], want: { apiPort: 7443 } },
} as const;

const refused = {
  Unknown: {
    reason: 'names the option and shows the usage',
    given: ['--bogus'],
    want: /^Unknown option '--bogus'\n[\s\S]*--interval TIME/,
  },
  PauseForNothing: {
    reason: 'a change that is not noticed has no plan',
    given: ['--pause', '--no-watch'],
    want: /--pause .* --no-watch/,
  },
  Stray: { reason: 'no positional argument', given: ['website'], want: /website/ },
  Zero: {
    reason: 'an interval must be positive',
    given: ['--interval', '0'],
    want: /--interval: "0" is not an interval between 1s and 24h; write it as 90s, 5m or 2h/,
  },
  Long: {
    reason: 'a timer holds no more',
    given: ['--interval', '25h'],
    want: /--interval: "25h" is not an interval between 1s and 24h/,
  },
  High: {
    reason: 'no such port',
    given: ['--page-port', '70000'],
    want: /--page-port: "70000" .* 65535/,
  },
  ChaosElsewhere: {
    reason: 'chaos is for the embedded cluster only',
    given: ['--chaos', '--context', 'kind'],
    want: /--chaos works on the embedded cluster only/,
  },
  ChaosWordApart: {
    reason: 'not a seed either',
    given: ['--chaos', 'abc'],
    want: /--chaos: "abc" is not a whole number/,
  },
  SamePorts: {
    reason: 'two servers cannot share one',
    given: ['--api-port', '9000', '--resync-port=9000'],
    want: /--api-port and --resync-port are both 9000: give each a port of its own/,
  },
  DefaultPort: {
    reason: 'only one of the two was typed',
    given: ['--api-port', '8080'],
    want: /^--api-port: 8080 is the port of --resync-port unless you give another/,
  },
  DefaultPortBefore: {
    reason: 'only the later one was typed',
    given: ['--page-port', '6443'],
    want: /^--page-port: 6443 is the port of --api-port unless you give another/,
  },
  ChaosWord: {
    reason: 'not a seed',
    given: ['--chaos=x'],
    want: /--chaos: "x" is not a whole number/,
  },
  Word: { reason: 'not a number', given: ['--audit-port', 'x'], want: /--audit-port: "x"/ },
} as const;

describe('parseOptions', () => {
  it.each(Object.entries(accepted))('%s', (_, { reason, given, want }) => {
    expect(parseOptions(given), reason).toEqual({ ...defaults, ...want });
  });
  it.each(Object.entries(refused))('refuses %s', (_, { reason, given, want }) => {
    expect(() => parseOptions(given), reason).toThrow(
      expect.objectContaining({ name: 'OptionError', message: expect.stringMatching(want) }),
    );
  });
});
