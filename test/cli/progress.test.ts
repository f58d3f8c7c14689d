import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { rateText, showProgress, showSteps, timeText } from '../../infra/cli/output/progress.ts';
import { present } from '../../shared/json.ts';

/** Returns the output while `of` resources are processed, one every `stepMs`. */
interface How {
  readonly isTTY?: boolean;
  readonly isAskedFor?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

function shown(of: number, stepMs: number, { isAskedFor, env, ...stream }: How = {}) {
  const parts: string[] = [];
  const err = Object.assign(new PassThrough(), stream);
  err.on('data', (part) => parts.push(String(part)));
  let ms = 0;
  const now = (): Date => new Date(ms);
  const { onProgress, stop } = showProgress({ err, now, ...present({ env }) }, isAskedFor);
  for (let done = 1; done <= of; done++) {
    ms += stepMs;
    onProgress(done, of);
  }
  stop();
  return parts.join('');
}

describe('progress', () => {
  it('is not shown for a run that ends within a second, unless requested', () => {
    expect(shown(4, 100)).toBe('');
    expect(shown(4, 100, { isTTY: true })).toBe('');
    expect(shown(2, 100, { isAskedFor: true })).toBe(
      '1 of 2 resources, 10.0/s\n2 of 2 resources, 10.0/s\n',
    );
  });

  it('begins after a second, with at most ten lines without a terminal', () => {
    expect(shown(4, 500)).toBe(
      '2 of 4 resources, 2.0/s\n3 of 4 resources, 2.0/s\n4 of 4 resources, 2.0/s\n',
    );
    expect(shown(1_000, 100).split('\n').length - 1).toBe(10);
  });

  it('is a bar with the time left on a terminal', () => {
    const drawn = shown(4, 1_000, { isTTY: true }).split('\r\u001b[K');
    expect(drawn[2]).toBe(`${'█'.repeat(20)}${'░'.repeat(20)} 2 of 4, 1.0/s, 2s left`);
    expect(drawn.at(-1)).toBe(`${'█'.repeat(40)} 4 of 4, 1.0/s\n`);
  });

  it('is lines on a terminal that cannot rewrite them', () => {
    const env = { TERM: 'dumb' };
    expect(shown(4, 500, { isTTY: true, env })).toBe(shown(4, 500));
  });

  it.each([40, 30, 20, 5])(
    'fits into a terminal of %i columns, which cannot rewrite two lines',
    (columns) => {
      const drawn = shown(4, 1_000, { isTTY: true, columns }).split('\r\u001b[K');
      for (const line of drawn) expect(line.trimEnd().length).toBeLessThan(columns);
      expect(drawn[2]).toContain('2 of 4, 1.0/s, 2s left'.slice(0, columns - 2));
    },
  );
});

describe('a step', () => {
  const steps = (isTTY: boolean, TERM = 'xterm'): string => {
    const parts: string[] = [];
    const err = Object.assign(new PassThrough(), { isTTY });
    err.on('data', (part) => parts.push(String(part)));
    let ms = 0;
    const { onStep, stop } = showSteps({ err, env: { TERM }, now: () => new Date(ms) });
    for (const [at, text] of ['a', 'b', 'c'].entries()) {
      ms = at * 600;
      onStep(text);
    }
    stop();
    return parts.join('');
  };

  it('is shown on a terminal until the next one, and erased', () => {
    const clear = '\r\u001b[K';
    expect(steps(true)).toBe(`${clear}a …${clear}b …${clear}c …${clear}`);
  });

  it('is a line without a terminal, or on one that cannot rewrite lines, if it begins after a second', () => {
    expect(steps(false)).toBe('c …\n');
    expect(steps(true, 'dumb')).toBe('c …\n');
  });
});

describe('the counts of a step', () => {
  const clear = '\r\u001b[K';

  /** Returns the output of a step whose figures are reported every second, and of the next step. */
  function shown(seconds: number, stream: { isTTY: boolean; columns?: number }): string {
    const parts: string[] = [];
    const err = Object.assign(new PassThrough(), stream);
    err.on('data', (part) => parts.push(String(part)));
    let ms = 0;
    const { onStep, stop } = showSteps({ err, now: () => new Date(ms) });
    for (let second = 1; second <= seconds; second++) {
      ms += 1_000;
      onStep('waiting', `${second} of ${seconds}`);
    }
    onStep('done');
    stop();
    return parts.join('');
  }

  it('are rewritten in place on a terminal', () => {
    const drawn = `${clear}waiting: 1 of 2${clear}waiting: 2 of 2${clear}done …${clear}`;
    expect(shown(2, { isTTY: true })).toBe(drawn);
  });

  it('are cut off before the last column, because a wrapped line cannot be rewritten', () => {
    const drawn = `${clear}waiting: 1 o${clear}done …${clear}`;
    expect(shown(1, { isTTY: true, columns: 13 })).toBe(drawn);
  });

  it('are a line every ten seconds without a terminal, and the next step prints one at once', () => {
    expect(shown(23, { isTTY: false })).toBe(
      'waiting: 1 of 23\nwaiting: 11 of 23\nwaiting: 21 of 23\ndone …\n',
    );
  });
});

it.each([
  [12.34, '12.3/s'],
  [1, '1.0/s'],
  [0.5, '30.0/min'],
  [0, '0.0/min'],
])('shows a rate of %d per second as %s', (perSecond, text) => {
  expect(rateText(perSecond)).toBe(text);
});

it.each([
  [0, '0s'],
  [0.1, '1s'],
  [59, '59s'],
  [59.5, '1m0s'],
  [3_725, '62m5s'],
])('shows %d seconds as %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});
