const units = [
  { letter: 'd', seconds: 86_400 },
  { letter: 'h', seconds: 3_600 },
  { letter: 'm', seconds: 60 },
  { letter: 's', seconds: 1 },
] as const;

/** The time since `time`, in the largest unit of which there are at least two: `3m`, `25h`, `2d`. */
export function ageText(time: string | undefined, now: Date): string {
  const then = Date.parse(time ?? '');
  if (Number.isNaN(then)) return '';
  return durationOf(Math.max(0, Math.floor((now.getTime() - then) / 1000)));
}

/** A duration in the largest unit of which there are at least two: `90s`, `2m`. */
export function durationOf(seconds: number): string {
  const unit = units.find((one) => seconds >= 2 * one.seconds) ?? { letter: 's', seconds: 1 };
  return `${Math.floor(seconds / unit.seconds)}${unit.letter}`;
}
