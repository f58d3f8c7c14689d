import { stringify as yamlText } from 'yaml';
import type { Status } from '../errors/status.ts';
import { jsonText } from '../json/text.ts';

/** An answer as it is sent. */
export interface Answer {
  readonly code: number;
  readonly contentType: string;
  readonly body: string;
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonAnswer(code: number, value: unknown): Answer {
  return {
    code,
    contentType: 'application/json',
    body: `${jsonText(value)}\n`,
  };
}

/** In Go's form: keys in order, and quotes where a YAML 1.1 reader would misread. */
export function yamlAnswer(code: number, value: unknown): Answer {
  return {
    code,
    contentType: 'application/yaml',
    body: yamlText(value, {
      sortMapEntries: true,
      indentSeq: false,
      version: '1.1',
      aliasDuplicateObjects: false,
    }),
  };
}

export function textAnswer(code: number, body: string): Answer {
  return {
    code,
    contentType: 'text/plain; charset=utf-8',
    body,
  };
}

/** A failure, with the header that goes with a time to wait. */
export function statusAnswer(status: Status): Answer {
  const wait = status.details?.retryAfterSeconds;
  return {
    ...jsonAnswer(status.code, status),
    ...(wait === undefined ? {} : { headers: { 'retry-after': String(wait) } }),
  };
}
