import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { showProgress, showSteps } from '../../infra/cli/progress.ts';

/** What is printed while `of` resources are done, one every `stepMs`. */
function shown(of: number, stepMs: number, how: { isTTY?: boolean; isAskedFor?: boolean } = {}) {
  const parts: string[] = [];
  const err = Object.assign(new PassThrough(), { isTTY: how.isTTY ?? false });
  err.on('data', (part) => parts.push(String(part)));
  let ms = 0;
  const now = (): Date => new Date(ms);
  const { onProgress, stop } = showProgress({ err, now }, how.isAskedFor);
  for (let done = 1; done <= of; done++) {
    ms += stepMs;
    onProgress(done, of);
  }
  stop();
  return parts.join('');
}

describe('progress', () => {
  it('is not shown of what ends within a second, unless it is asked for', () => {
    expect(shown(4, 100)).toBe('');
    expect(shown(4, 100, { isTTY: true })).toBe('');
    expect(shown(2, 100, { isAskedFor: true })).toBe(
      '1 of 2 resources, 10.0/s\n2 of 2 resources, 10.0/s\n',
    );
  });

  it('begins after a second, at most ten lines where there is no terminal', () => {
    expect(shown(4, 500)).toBe(
      '2 of 4 resources, 2.0/s\n3 of 4 resources, 2.0/s\n4 of 4 resources, 2.0/s\n',
    );
    expect(shown(1_000, 100).split('\n').length - 1).toBe(10);
  });

  it('is a bar with the time left on a terminal', () => {
    const drawn = shown(4, 1_000, { isTTY: true }).split('\r\u001b[K');
    expect(drawn[2]).toBe(`${'█'.repeat(20)}${'░'.repeat(20)} 2 of 4, 1.0/s, 2s left`);
    expect(drawn.at(-1)).toBe(`${'█'.repeat(40)} 4 of 4, 1.0/s, 0s left\n`);
  });
});

describe('a step', () => {
  const steps = (isTTY: boolean): string => {
    const parts: string[] = [];
    const err = Object.assign(new PassThrough(), { isTTY });
    err.on('data', (part) => parts.push(String(part)));
    let ms = 0;
    const { onStep, stop } = showSteps({ err, now: () => new Date(ms) });
    for (const [at, text] of ['a', 'b', 'c'].entries()) {
      ms = at * 600;
      onStep(text);
    }
    stop();
    return parts.join('');
  };

  it('is shown until the next one on a terminal, which keeps none', () => {
    const clear = '\r\u001b[K';
    expect(steps(true)).toBe(`${clear}a …${clear}b …${clear}c …${clear}`);
  });

  it('is a line elsewhere, if it begins after a second', () => {
    expect(steps(false)).toBe('c …\n');
  });
});
