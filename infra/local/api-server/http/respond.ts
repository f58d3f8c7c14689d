import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { stringify as yamlText } from 'yaml';
import type { Status } from '../errors/status.ts';
import { jsonText } from '../objects/json-text.ts';
import { warningHeaders } from './warnings.ts';

const compress = promisify(gzip);
const COMPRESSED_FROM = 128 * 1024;

export interface Answer {
  readonly code: number;
  readonly contentType: string;
  readonly body: string;
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export const jsonAnswer = (code: number, value: unknown): Answer => ({
  code,
  contentType: 'application/json',
  body: `${jsonText(value)}\n`,
});

/** As Go writes it: keys in order, and quoted what an old reader takes for something else. */
export const yamlAnswer = (code: number, value: unknown): Answer => ({
  code,
  contentType: 'application/yaml',
  body: yamlText(value, {
    sortMapEntries: true,
    indentSeq: false,
    version: '1.1',
    aliasDuplicateObjects: false,
  }),
});

export const textAnswer = (code: number, body: string): Answer => ({
  code,
  contentType: 'text/plain; charset=utf-8',
  body,
});

/** A failure, with the header that goes with a time to wait. */
export const statusAnswer = (status: Status): Answer => {
  const wait = status.details?.retryAfterSeconds;
  return {
    ...jsonAnswer(status.code, status),
    ...(wait === undefined ? {} : { headers: { 'retry-after': String(wait) } }),
  };
};

interface Sending {
  readonly gzip: boolean;
  readonly auditId: string;
  readonly onSize: (bytes: number) => void;
}

/** Sends an answer, compressed when it is large and the client asked. */
export const send = async (
  response: ServerResponse,
  answer: Answer,
  { gzip: wanted, auditId, onSize }: Sending,
): Promise<void> => {
  const bytes = Buffer.from(answer.body);
  const compressed = wanted && bytes.length > COMPRESSED_FROM;
  const body = compressed ? await compress(bytes, { level: constants.Z_BEST_SPEED }) : bytes;
  onSize(body.length);
  if (response.destroyed) return;
  for (const warning of warningHeaders(answer.warnings ?? [])) {
    response.appendHeader('warning', warning);
  }
  response.writeHead(answer.code, {
    'content-type': answer.contentType,
    'content-length': body.length,
    'cache-control': 'no-cache, private',
    'audit-id': auditId,
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
    ...(wanted ? { vary: 'Accept-Encoding' } : {}),
    ...answer.headers,
  });
  response.end(body);
};
