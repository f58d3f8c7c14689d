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

/** Encodes YAML like Go: sorted keys, and quotes around strings that YAML 1.1 would read as another type. */
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

/** Builds the answer of a failure, with Retry-After if the status has a delay. */
export function statusAnswer(status: Status): Answer {
  const wait = status.details?.retryAfterSeconds;
  return {
    ...jsonAnswer(status.code, status),
    ...(wait === undefined ? {} : { headers: { 'retry-after': String(wait) } }),
  };
}
