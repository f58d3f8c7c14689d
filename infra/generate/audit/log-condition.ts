import { valueAt } from '../../../shared/json.ts';

type Field = readonly string[];

/** A condition on a Cloud Logging entry. `queryOf` renders it in the logging query language, `holds` evaluates it. */
export type LogCondition =
  | { readonly logId: string }
  | { readonly field: Field; readonly equals: string }
  /** A regular expression in the common subset of RE2 and JavaScript, unanchored and case-sensitive. */
  | { readonly field: Field; readonly matches: string }
  | { readonly field: Field; readonly above: number }
  | { readonly field: Field; readonly present: true }
  | { readonly not: LogCondition }
  | { readonly any: readonly LogCondition[] }
  | { readonly all: readonly LogCondition[] };

/** Puts the parts of an outermost `all` on separate lines. */
export const queryOf = (condition: LogCondition): string =>
  'all' in condition ? condition.all.map(termOf).join('\n') : termOf(condition);

function termOf(condition: LogCondition): string {
  if ('logId' in condition) return `log_id(${quote(condition.logId)})`;
  if ('not' in condition) return `NOT ${termOf(condition.not)}`;
  if ('any' in condition) return `(${condition.any.map(termOf).join(' OR ')})`;
  if ('all' in condition) return `(${condition.all.map(termOf).join(' AND ')})`;
  const field = condition.field.map((part) => (/^\w+$/.test(part) ? part : quote(part))).join('.');
  if ('equals' in condition) return `${field}=${quote(condition.equals)}`;
  if ('matches' in condition) return `${field}=~${quote(condition.matches)}`;
  return 'above' in condition ? `${field}>${condition.above}` : `${field}:*`;
}

/** A comparison with a missing field is false, as in Cloud Logging. */
export function holds(condition: LogCondition, entry: unknown): boolean {
  if ('not' in condition) return !holds(condition.not, entry);
  if ('any' in condition) return condition.any.some((part) => holds(part, entry));
  if ('all' in condition) return condition.all.every((part) => holds(part, entry));
  if ('logId' in condition) return hasLogId(condition.logId, valueAt(entry, 'logName'));
  const value = valueAt(entry, ...condition.field);
  if ('present' in condition) return value !== undefined;
  if ('above' in condition) return typeof value === 'number' && value > condition.above;
  if (typeof value !== 'string') return false;
  if ('matches' in condition) return new RegExp(condition.matches).test(value);
  return value.toLowerCase() === condition.equals.toLowerCase();
}

const hasLogId = (logId: string, logName: unknown): boolean =>
  typeof logName === 'string' && logName.endsWith(`/logs/${encodeURIComponent(logId)}`);

/** Keeps single backslashes: the query language passes them on to the regular expression. */
const quote = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;
