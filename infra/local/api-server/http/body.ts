import type { IncomingMessage } from 'node:http';
import { badRequest, tooLarge } from '../errors/api-errors.ts';
import { jsonText } from '../json/text.ts';
import type { ProtobufReader } from '../protobuf/decode.ts';
import { WireError } from '../protobuf/wire.ts';

const limit = 3 * 1024 * 1024;
const protobufType = 'application/vnd.kubernetes.protobuf';

export interface Body {
  readonly body: string;
  readonly contentType: string;
}

/** Reads a request body as text; protobuf becomes JSON here, and more than 3 MiB is a 413. */
export async function readBody(
  request: IncomingMessage,
  contentType: string,
  fromProtobuf: ProtobufReader,
): Promise<Body> {
  const bytes = await readBytes(request);
  if (contentType !== protobufType || bytes.length === 0) {
    return { body: bytes.toString('utf8'), contentType };
  }
  try {
    const object = fromProtobuf(bytes);
    // The path of an unknown kind is not served either, and is answered with 404.
    if (object === undefined) return { body: '', contentType };
    return { body: jsonText(object), contentType: 'application/json' };
  } catch (error) {
    throw error instanceof WireError ? badRequest(error.message) : error;
  }
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
