import { describe, expect, it } from 'vitest';
import { intervalFor, parseInterval } from '../../infra/cli/base/interval.ts';
import type { Session } from '../../infra/cli/base/session.ts';

const context = { name: 'prod', files: ['config'], namespace: 'default', settings: {} };
const local = { ...context, files: ['/shop/.local/kubeconfig'] };
const terminal = { localKubeconfig: '/elsewhere' } as Session['terminal'];

describe('parseInterval', () => {
  it.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['90', 90_000],
  ])('%s', (text, ms) => expect(parseInterval(text).ms).toBe(ms));

  it.each(['', '0', '0m', '-1m', '5 m', '1d', '1.5h'])('refuses "%s"', (text) => {
    expect(() => parseInterval(text)).toThrow(/--interval: .* write it as 90s, 5m or 2h/);
  });
});

it('an interval of seconds is shown in seconds', () =>
  expect(parseInterval('90').text).toBe('90s'));

describe('intervalFor', () => {
  const configured = { ...local, settings: { INTERVAL: '600s' } };

  it.each([
    ['is the given one', { given: '5m', context: configured }, { text: '5m', ms: 300_000 }],
    [
      'is read from the context',
      { given: undefined, context: configured },
      { text: '600s', ms: 600_000, from: 'context prod of the kubeconfig' },
    ],
    [
      'has the default of npm start for a local context',
      { given: undefined, context: local },
      { text: '10s', ms: 10_000, from: 'unless --interval says otherwise' },
    ],
    [
      'has another default without a context',
      { given: undefined, context: undefined },
      { text: '10m', ms: 600_000, from: 'unless --interval says otherwise' },
    ],
  ])('%s', (_, { given, context }, want) => {
    expect(intervalFor({ context, terminal }, given)).toEqual(want);
  });

  it('names the context whose interval is invalid', () => {
    const odd = { ...context, settings: { INTERVAL: 'soon' } };
    expect(() => intervalFor({ context: odd, terminal }, undefined)).toThrow(
      /^INTERVAL of context prod of the kubeconfig: "soon"/,
    );
  });
});
