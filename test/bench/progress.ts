import { rateText, type StepDisplay, timeText } from '../../infra/cli/output/progress.ts';

export interface BenchProgress {
  /** Called before each measurement, never during one. */
  readonly begin: (scenario: string, candidate: string) => void;
}

interface Counted {
  /** The total number of measurements. */
  readonly of: number;
  /** The current time in milliseconds. */
  readonly now: () => number;
}

/** Shows which measurement begins; the rate and the time left are estimated from those before it. */
export function countMeasurements(
  { onStep }: Pick<StepDisplay, 'onStep'>,
  { of, now }: Counted,
): BenchProgress {
  const started = now();
  let done = 0;
  return {
    begin(scenario, candidate) {
      const passed = paceOf(done, of, (now() - started) / 1_000);
      onStep(scenario, [candidate, `${++done} of ${of}`, ...passed].join(', '));
    },
  };
}

/** Returns the rate and the time left; nothing before the first measurement is done. */
function paceOf(done: number, of: number, seconds: number): readonly string[] {
  if (done === 0 || seconds <= 0) return [];
  return [rateText(done / seconds), `${timeText(((of - done) * seconds) / done)} left`];
}
