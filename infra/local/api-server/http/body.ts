import type { IncomingMessage } from 'node:http';
import { badRequest, tooLarge } from '../errors/errors.ts';
import { jsonText } from '../objects/json-text.ts';
import type { ProtobufReader } from '../protobuf/decode.ts';
import { WireError } from '../protobuf/wire.ts';

const LIMIT = 3 * 1024 * 1024;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

export interface Body {
  readonly body: string;
  readonly contentType: string;
}

/** Reads a request body as text; protobuf becomes JSON here, and more than 3 MiB is a 413. */
export const readBody = async (
  request: IncomingMessage,
  contentType: string,
  fromProtobuf: ProtobufReader,
): Promise<Body> => {
  const bytes = await readBytes(request);
  if (contentType !== PROTOBUF || bytes.length === 0) {
    return { body: bytes.toString('utf8'), contentType };
  }
  try {
    const object = fromProtobuf(bytes);
    // Of an unknown kind nothing is served either: the path will tell.
    if (object === undefined) return { body: '', contentType };
    return { body: jsonText(object), contentType: 'application/json' };
  } catch (error) {
    throw error instanceof WireError ? badRequest(error.message) : error;
  }
};

const readBytes = async (request: IncomingMessage): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > LIMIT) throw tooLarge(LIMIT);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LIMIT) throw tooLarge(LIMIT);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
