import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../infra/start/options.ts';
import { casesOf } from '../support/cases.ts';

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
  Nothing: { reason: 'the defaults are those of the documents', given: [], want: {} },
  Context: {
    reason: 'the user may have a cluster',
    given: ['--context', 'kind'],
    want: { context: 'kind' },
  },
  Empty: {
    reason: 'samples and audit can be omitted',
    given: ['--no-samples', '--no-audit'],
    want: { samples: false, audit: false },
  },
  NoWatch: {
    reason: 'changes of the kinds can be ignored',
    given: ['--no-watch'],
    want: { watch: false },
  },
  Pause: { reason: 'a plan can be shown first', given: ['--pause'], want: { pause: true } },
  Interval: {
    reason: 'a number means seconds',
    given: ['--interval', '3'],
    want: { intervalSeconds: 3 },
  },
  IntervalWithUnit: {
    reason: 'a unit is accepted, as by the other commands',
    given: ['--interval', '2h'],
    want: { intervalSeconds: 7200 },
  },
  Help: { reason: '-h works as for the other commands', given: ['-h'], want: { help: true } },
  Chaos: {
    reason: 'the default is a random seed, which is printed at the start',
    given: ['--chaos', '--no-audit'],
    want: { chaos: { seed: undefined }, audit: false },
  },
  Seed: {
    reason: 'a seed repeats the same chaos',
    given: ['--chaos', '7'],
    want: { chaos: { seed: 7 } },
  },
  PortElsewhere: {
    reason: 'the port of the API server is not needed with --context',
    given: ['--context', 'kind', '--page-port', '8080'],
    want: { context: 'kind', pagePort: 8080 },
  },
  Port: {
    reason: 'an equals sign may separate the value',
    given: ['--api-port=7443'],
    want: { apiPort: 7443 },
  },
} as const;

const refused = {
  Unknown: {
    reason: 'the error names the option and shows the usage',
    given: ['--bogus'],
    want: /^Unknown option '--bogus'\n[\s\S]*--interval TIME/,
  },
  PauseForNothing: {
    reason: 'without watching there is no change to confirm',
    given: ['--pause', '--no-watch'],
    want: /--pause .* --no-watch/,
  },
  Stray: { reason: 'there are no positional arguments', given: ['website'], want: /website/ },
  Zero: {
    reason: 'an interval must be positive',
    given: ['--interval', '0'],
    want: /--interval: "0" is not an interval between 1s and 24h; write it as 90s, 5m or 2h/,
  },
  Long: {
    reason: 'an interval is at most 24 h',
    given: ['--interval', '25h'],
    want: /--interval: "25h" is not an interval between 1s and 24h/,
  },
  High: {
    reason: 'the port is out of range',
    given: ['--page-port', '70000'],
    want: /--page-port: "70000" .* 65535/,
  },
  ChaosElsewhere: {
    reason: 'chaos is for the embedded cluster only',
    given: ['--chaos', '--context', 'kind'],
    want: /--chaos works on the embedded cluster only/,
  },
  ChaosWordApart: {
    reason: 'a word after a space is not a seed',
    given: ['--chaos', 'abc'],
    want: /--chaos: "abc" is not a whole number/,
  },
  SamePorts: {
    reason: 'two servers cannot share a port',
    given: ['--api-port', '9000', '--resync-port=9000'],
    want: /--api-port and --resync-port are both 9000: give each a port of its own/,
  },
  DefaultPort: {
    reason: 'the port is the default of a later option',
    given: ['--api-port', '8080'],
    want: /^--api-port: 8080 is the default of --resync-port: choose another port/,
  },
  DefaultPortBefore: {
    reason: 'the port is the default of an earlier option',
    given: ['--page-port', '6443'],
    want: /^--page-port: 6443 is the default of --api-port: choose another port/,
  },
  ChaosWord: {
    reason: 'a word is not a seed',
    given: ['--chaos=x'],
    want: /--chaos: "x" is not a whole number/,
  },
  Word: { reason: 'a port is a number', given: ['--audit-port', 'x'], want: /--audit-port: "x"/ },
} as const;

describe('parseOptions', () => {
  it.each(casesOf(accepted))('%s', (_, { given, want }) => {
    expect(parseOptions(given)).toEqual({ ...defaults, ...want });
  });
  it.each(casesOf(refused))('refuses %s', (_, { given, want }) => {
    expect(() => parseOptions(given)).toThrow(
      expect.objectContaining({ name: 'OptionError', message: expect.stringMatching(want) }),
    );
  });
});
