import { expect, it } from 'vitest';
import { showBuild } from '../control-plane/show-build.ts';

/** Returns the output for a build of 240 packages, one a second, until `done` are compiled. */
function shown(done: number, isTTY: boolean): string {
  let text = '';
  let ms = 0;
  const err = { isTTY, write: (part: string) => (text += part) };
  const { onProgress, stop } = showBuild(err, () => ms);
  for (let at = 1; at <= done; at++) {
    ms += 1_000;
    onProgress(at, 240);
  }
  stop();
  return text;
}

it('says every half minute how far a build is, its rate, and how long it takes', () => {
  expect(shown(200, false).split('\n')).toEqual([
    '30 of 240 packages compiled, 1.0/s, at most 4 min left',
    '60 of 240 packages compiled, 1.0/s, at most 3 min left',
    '90 of 240 packages compiled, 1.0/s, at most 3 min left',
    '120 of 240 packages compiled, 1.0/s, at most 2 min left',
    '150 of 240 packages compiled, 1.0/s, at most 2 min left',
    '180 of 240 packages compiled, 1.0/s, at most 1 min left',
    '',
  ]);
});

it('rewrites one line on a terminal, and leaves none', () => {
  const clear = '\r\u001b[K';
  expect(shown(2, true)).toBe(
    `${clear}1 of 240 packages compiled, 1.0/s, at most 4 min left${clear}2 of 240 packages compiled, 1.0/s, at most 4 min left${clear}`,
  );
});
