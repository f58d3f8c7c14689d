import { describe, expect, it } from 'vitest';
import { intervalFor, parseInterval } from '../../infra/cli/base/interval.ts';

const context = { name: 'prod', files: ['config'], namespace: 'default', settings: {} };

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

it('shows seconds as seconds', () => expect(parseInterval('90').text).toBe('90s'));

describe('intervalFor', () => {
  const isLocal = true;
  const configured = { ...context, settings: { INTERVAL: '600s' } };

  it.each([
    ['given', { given: '5m', context: configured, isLocal }, { text: '5m', ms: 300_000 }],
    [
      'is taken from the context',
      { given: undefined, context: configured, isLocal },
      { text: '600s', ms: 600_000, from: 'context prod of the kubeconfig' },
    ],
    [
      'has a default for npm start',
      { given: undefined, context, isLocal },
      { text: '10s', ms: 10_000, from: 'unless --interval says otherwise' },
    ],
    [
      'has another default elsewhere',
      { given: undefined, context: undefined, isLocal: false },
      { text: '10m', ms: 600_000, from: 'unless --interval says otherwise' },
    ],
  ])('%s', (_, given, want) => expect(intervalFor(given)).toEqual(want));

  it('names the context whose interval is invalid', () => {
    const odd = { ...context, settings: { INTERVAL: 'soon' } };
    expect(() => intervalFor({ given: undefined, context: odd, isLocal })).toThrow(
      /^INTERVAL of context prod of the kubeconfig: "soon"/,
    );
  });
});
