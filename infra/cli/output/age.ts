const units: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60 };

/** Formats the time since `time`: `3m`, `25h`, `2d`. */
export function ageText(time: string | undefined, now: Date): string {
  const then = Date.parse(time ?? '');
  if (Number.isNaN(then)) return '';
  return durationOf(Math.max(0, Math.floor((now.getTime() - then) / 1000)));
}

/** Formats a duration in the largest unit that it contains at least twice: `90s`, `2m`. */
export function durationOf(seconds: number): string {
  const [unit, size] = Object.entries(units).find(([, one]) => seconds >= 2 * one) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}
