import { isFields } from '../shared/json.ts';

/** A line of the functions' log. */
export interface LogLine {
  readonly severity?: string;
  readonly message?: string;
  readonly [field: string]: unknown;
}

/** Reads a line that `shared/log.ts` wrote; undefined for text that is not a JSON object. */
export function readLogLine(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
