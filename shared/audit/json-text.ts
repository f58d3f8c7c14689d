import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { parseJson } from '../json.ts';

/** The error for content that cannot be read; the message says what was found. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

/** How many bytes the compressed parts of a body may still inflate to. */
export interface Room {
  bytes: number;
}

/**
 * Parses JSON text, or bytes of it that gzip may have compressed: one value, or one on each line. Yields
 * undefined for a line that is not JSON. Throws a MalformedError for any other text.
 */
export function* jsonValuesIn(text: string | Uint8Array, room: Room): Generator<unknown, void> {
  const json = (typeof text === 'string' ? text : textOf(text, room)).replace(/^\uFEFF/, '').trim();
  const whole = parseJson(json);
  if (whole !== undefined) yield whole;
  else if (!json.includes('\n')) throw new MalformedError('text that is not JSON');
  else for (const [line] of json.matchAll(/\S[^\n]*/g)) yield parseJson(line);
}

function textOf(bytes: Uint8Array, room: Room): string {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return Buffer.from(isCompressed ? inflate(bytes, room) : bytes).toString('utf8');
}

/** Inflates bytes, within `room`. A failure uses up the room, so many decompression bombs cost no more than one. */
function inflate(bytes: Uint8Array, room: Room): Uint8Array {
  const most = room.bytes;
  room.bytes = 0;
  if (most === 0) throw new MalformedError('compressed parts beyond the limit of inflated bytes');
  try {
    const plain = gunzipSync(bytes, { maxOutputLength: most });
    room.bytes = most - plain.length;
    return plain;
  } catch (error) {
    const isLarge = (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new MalformedError(
      isLarge
        ? `more than ${most} bytes when inflated; send smaller batches`
        : 'compressed data that is damaged',
    );
  }
}
