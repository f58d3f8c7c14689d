import { SingleBar } from 'cli-progress';
import type { Terminal } from './terminal.ts';

export interface Progress {
  readonly onProgress: (done: number, of: number) => void;
  readonly stop: () => void;
}

/** Plain lines are this many at most, whatever there is to do. */
const maxLines = 10;

/** A bar with rate and time left on a terminal; elsewhere a line now and then. */
export function showProgress({ err, now }: Terminal): Progress {
  const started = now().getTime();
  const rate = (done: number): string => {
    const seconds = (now().getTime() - started) / 1000;
    return `${(done / Math.max(seconds, 0.001)).toFixed(1)}/s`;
  };
  if (err.isTTY !== true) return lines(err, rate);
  const bar = new SingleBar({
    stream: err,
    format: '{bar} {value} of {total}, {rate}, {eta_formatted} left',
    hideCursor: true,
    gracefulExit: false,
  });
  return {
    onProgress(done, of) {
      if (done === 1) bar.start(of, 0, { rate: '' });
      bar.update(done, { rate: rate(done) });
    },
    stop: () => bar.stop(),
  };
}

const lines = (err: Terminal['err'], rate: (done: number) => string): Progress => ({
  onProgress(done, of) {
    if (done === of || done % Math.ceil(of / maxLines) === 0)
      err.write(`${done} of ${of} resources, ${rate(done)}\n`);
  },
  stop: () => undefined,
});
