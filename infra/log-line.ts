import { isFields } from '../shared/json.ts';

export interface LogLine {
  readonly severity?: string;
  readonly message?: string;
  readonly [field: string]: unknown;
}

/** Undefined for text that is not a JSON object. */
export function readLogLine(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
