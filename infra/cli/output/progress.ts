import type { Terminal } from '../base/terminal.ts';

type Screen = Pick<Terminal, 'err' | 'now'> & Partial<Pick<Terminal, 'env'>>;

const canRewrite = ({ err, env }: Screen): boolean => err.isTTY === true && env?.TERM !== 'dumb';

/** The maximum number of progress lines of one run, if the stream is not a terminal. */
const maxLines = 10;
const barWidth = 40;
const redrawMs = 100;

/** A run shows its progress after this time; with --progress, at once. */
const quietMs = 1_000;

/** Shows, on a terminal, a bar with the rate and the time left; elsewhere, occasional lines. */
export function showProgress(screen: Screen, isAskedFor = false) {
  const { err, now } = screen;
  const started = now().getTime();
  let drawn: number | undefined;
  return {
    onProgress(done: number, of: number): void {
      const time = now().getTime();
      if (!isAskedFor && time - started < quietMs) return;
      const perSecond = done / Math.max((time - started) / 1000, 0.001);
      if (!canRewrite(screen)) {
        if (done === of || done % Math.ceil(of / maxLines) === 0)
          err.write(`${done} of ${of} resources, ${rateText(perSecond)}\n`);
      } else if (done === of || drawn === undefined || time - drawn >= redrawMs) {
        drawn = time;
        err.write(`${startOfLine}${barOf(done, of, { perSecond, room: roomIn(err) })}`);
      }
    },
    stop(): void {
      if (drawn !== undefined) err.write('\n');
    },
  };
}

export interface StepDisplay {
  /** `figures` describes progress within the step: `3 of 7`. */
  readonly onStep: (step: string, figures?: string) => void;
  readonly stop: () => void;
}

/** The minimum time between two lines about the same step, if the stream is not a terminal. */
const sameStepMs = 10_000;

/**
 * Shows the current step. On a terminal, rewrites one line in place. Elsewhere, after the first second, prints a
 * line for each new step, and one every ten seconds for new figures of the same step.
 */
export function showSteps(screen: Screen): StepDisplay {
  const { err, now } = screen;
  const started = now().getTime();
  let last: { readonly step: string; readonly at: number } | undefined;
  return {
    onStep(step, figures) {
      const text = figures === undefined ? `${step} …` : `${step}: ${figures}`;
      const at = now().getTime();
      if (canRewrite(screen)) err.write(`${startOfLine}${text.slice(0, roomIn(err))}`);
      else if (at - started >= quietMs && (last?.step !== step || at - last.at >= sameStepMs)) {
        last = { step, at };
        err.write(`${text}\n`);
      }
    },
    stop() {
      if (canRewrite(screen)) err.write(startOfLine);
    },
  };
}

/** Returns to the first column and clears the line. */
const startOfLine = '\r\u001b[K';

/** Leaves the last column free, because a line that wraps cannot be rewritten. */
const roomIn = ({ columns }: Screen['err']): number => (columns || Number.POSITIVE_INFINITY) - 1;

function barOf(
  done: number,
  of: number,
  { perSecond, room }: { readonly perSecond: number; readonly room: number },
) {
  const left = (of - done) / Math.max(perSecond, 0.001);
  // Omits the time left once all resources are done, because the run may still wait until they are Ready.
  const time = done < of ? `, ${timeText(left)} left` : '';
  const figures = `${done} of ${of}, ${rateText(perSecond)}${time}`;
  const width = Math.max(0, Math.min(barWidth, room - figures.length - 1));
  const filled = of === 0 ? width : Math.round((width * done) / of);
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
  return `${bar} ${figures}`.trimStart().slice(0, room);
}

/** Formats a rate: `2.5/s` or, below one per second, `30.0/min`. */
export const rateText = (perSecond: number): string =>
  perSecond < 1 ? `${(perSecond * 60).toFixed(1)}/min` : `${perSecond.toFixed(1)}/s`;

/** Formats a duration, rounded up: `59s`, `1m0s`. */
export function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m${whole % 60}s`;
}
