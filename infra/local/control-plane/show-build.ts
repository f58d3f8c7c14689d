/** The stream for progress, which may be a terminal. */
interface Stream {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

interface BuildDisplay {
  readonly onProgress: (done: number, of: number) => void;
  readonly stop: () => void;
}

const quietMs = 30_000;
const redrawMs = 1_000;
const startOfLine = '\r\u001b[K';

/**
 * Shows the number of compiled packages, with rate and time left: on a terminal in one line, rewritten in
 * place; elsewhere in a line every half minute.
 */
export function showBuild(err: Stream, now: () => number): BuildDisplay {
  const isTerminal = err.isTTY === true;
  const begun = now();
  let last = begun;
  return {
    onProgress(done, of) {
      if (now() - last < (isTerminal ? redrawMs : quietMs)) return;
      last = now();
      const seconds = (last - begun) / 1_000;
      const left = ((of - done) * seconds) / done;
      const text = `${done} of ${of} packages compiled, ${(done / seconds).toFixed(1)}/s, at most ${timeText(left)} left`;
      err.write(isTerminal ? `${startOfLine}${text}` : `${text}\n`);
    },
    stop: () => void (isTerminal && err.write(startOfLine)),
  };
}

const timeText = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)}s` : `${Math.ceil(seconds / 60)} min`;
