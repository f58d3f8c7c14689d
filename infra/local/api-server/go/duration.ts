const unitNanoseconds: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const maxValue = 2n ** 63n;

/**
 * Returns Go's error for an invalid duration; undefined for a valid duration.
 *
 * Source: time.ParseDuration.
 */
export function durationProblem(text: string): string | undefined {
  const invalid = `time: invalid duration ${quoted(text)}`;
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  let sum = 0n;
  while (rest !== '') {
    const [part = '', whole = '', fraction = '', unit = ''] =
      /^(\d*)(\.\d*)?([^.\d]*)/.exec(rest) ?? [];
    if (whole === '' && fraction.length < 2) return invalid;
    if (unit === '') return `time: missing unit in duration ${quoted(text)}`;
    const factor = unitNanoseconds.get(unit);
    if (factor === undefined) {
      return `time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`;
    }
    sum += BigInt(whole || '0') * factor;
    if (sum >= maxValue) return invalid;
    rest = rest.slice(part.length);
  }
  return undefined;
}

/** Quotes like Go's package `time`: writes bytes other than printable ASCII as escapes. */
function quoted(text: string): string {
  const shown = Buffer.from(text)
    .toString('latin1')
    .replace(/["\\]/g, '\\$&')
    .replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${shown}"`;
}
