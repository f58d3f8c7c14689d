import type { Terminal } from './terminal.ts';

export interface ProgressDisplay {
  readonly onProgress: (done: number, of: number) => void;
  readonly stop: () => void;
}

/** At most this many plain lines, however much there is to do. */
const maxLines = 10;
const barWidth = 40;
const redrawMs = 100;

/** What ends sooner shows none, unless it is asked for. */
const patienceMs = 1_000;

/** On a terminal a bar with rate and time left; elsewhere a line now and then. */
export function showProgress(
  { err, now }: Pick<Terminal, 'err' | 'now'>,
  isAskedFor = false,
): ProgressDisplay {
  const started = now().getTime();
  const isEarly = (): boolean => !isAskedFor && now().getTime() - started < patienceMs;
  const perSecond = (done: number): number =>
    done / Math.max((now().getTime() - started) / 1000, 0.001);
  if (err.isTTY !== true)
    return {
      onProgress(done, of) {
        if (!isEarly() && (done === of || done % Math.ceil(of / maxLines) === 0))
          err.write(`${done} of ${of} resources, ${perSecond(done).toFixed(1)}/s\n`);
      },
      stop: () => undefined,
    };
  let drawn: number | undefined;
  return {
    onProgress(done, of) {
      const time = now().getTime();
      if (isEarly()) return;
      if (done < of && drawn !== undefined && time - drawn < redrawMs) return;
      drawn = time;
      err.write(`${startOfLine}${barOf(done, of, perSecond(done))}`);
    },
    stop() {
      if (drawn !== undefined) err.write('\n');
    },
  };
}

export interface StepDisplay {
  readonly onStep: (text: string) => void;
  readonly stop: () => void;
}

/** What is under way: on a terminal until the next step, elsewhere as a line once a second has passed. */
export function showSteps({ err, now }: Pick<Terminal, 'err' | 'now'>): StepDisplay {
  const started = now().getTime();
  const isTerminal = err.isTTY === true;
  return {
    onStep(text) {
      if (isTerminal) err.write(`${startOfLine}${text} …`);
      else if (now().getTime() - started >= patienceMs) err.write(`${text} …\n`);
    },
    stop() {
      if (isTerminal) err.write(startOfLine);
    },
  };
}

/** Back to the first column, with the line cleared. */
const startOfLine = '\r\u001b[K';

function barOf(done: number, of: number, rate: number): string {
  const filled = of === 0 ? barWidth : Math.round((barWidth * done) / of);
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  const left = Math.ceil((of - done) / Math.max(rate, 0.001));
  const time = left < 60 ? `${left}s` : `${Math.floor(left / 60)}m${left % 60}s`;
  return `${bar} ${done} of ${of}, ${rate.toFixed(1)}/s, ${time} left`;
}
