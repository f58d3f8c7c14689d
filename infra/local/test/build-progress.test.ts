import { expect, it } from 'vitest';
import { buildProgress } from '../control-plane/build.ts';

it('says every half minute how far a build is, and how long it takes', () => {
  const lines: string[] = [];
  let ms = 0;
  const onProgress = buildProgress(
    (line) => lines.push(line),
    () => ms,
  );
  for (let done = 1; done <= 120; done++) {
    ms += 1_000;
    onProgress(done, 240);
  }
  expect(lines).toEqual([
    '30 of 240 packages compiled, at most 4 min left',
    '60 of 240 packages compiled, at most 3 min left',
    '90 of 240 packages compiled, at most 3 min left',
    '120 of 240 packages compiled, at most 2 min left',
  ]);
});
