import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Answer } from '../representations/answer.ts';
import { warningHeaders } from './warnings.ts';

const compress = promisify(gzip);
const compressedFrom = 128 * 1024;

interface Sending {
  readonly gzip: boolean;
  readonly auditId: string;
  readonly onSize: (bytes: number) => void;
}

/** Sends an answer; compresses a large answer if the client accepts that. */
export async function send(
  response: ServerResponse,
  answer: Answer,
  { gzip: wanted, auditId, onSize }: Sending,
): Promise<void> {
  const bytes = Buffer.from(answer.body);
  const compressed = wanted && bytes.length > compressedFrom;
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
}
