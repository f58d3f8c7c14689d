const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

export const intervalForms = 'write it as 90s, 5m or 2h; a number alone is in seconds';

/** Returns milliseconds; undefined if the text is not an interval. */
export function intervalMs(text: string): number | undefined {
  const [, count, unit = 's'] = /^([1-9]\d{0,5})([smh])?$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * units[unit as keyof typeof units];
}
