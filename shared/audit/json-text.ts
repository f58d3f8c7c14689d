import { gunzipSync } from 'node:zlib';
import { parseJson } from '../json.ts';

export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

/** A size limit that the compressed parts of a body share. */
export interface InflateBudget {
  bytesLeft: number;
}

/** Parses one JSON value, or one on each line, perhaps compressed. Yields undefined for a line that is not JSON. */
export function* jsonValuesIn(
  text: string | Uint8Array,
  budget: InflateBudget,
): Generator<unknown, void> {
  // trim() also removes a byte order mark.
  const json = (typeof text === 'string' ? text : decoded(text, budget)).trim();
  const whole = parseJson(json);
  if (whole !== undefined) yield whole;
  else if (!json.includes('\n')) throw new MalformedError('text that is not JSON');
  else for (const [line] of json.matchAll(/\S[^\n]*/g)) yield parseJson(line);
}

function decoded(bytes: Uint8Array, budget: InflateBudget): string {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return Buffer.from(isCompressed ? inflate(bytes, budget) : bytes).toString('utf8');
}

/** A failure uses up the budget, so that many decompression bombs cost no more than a single bomb. */
function inflate(bytes: Uint8Array, budget: InflateBudget): Uint8Array {
  const limit = budget.bytesLeft;
  budget.bytesLeft = 0;
  if (limit === 0)
    throw new MalformedError('not read, because earlier compressed data is damaged or too large');
  try {
    const plain = gunzipSync(bytes, { maxOutputLength: limit });
    budget.bytesLeft = limit - plain.length;
    return plain;
  } catch (error) {
    const isLarge = (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new MalformedError(
      isLarge
        ? `more than ${limit} bytes when inflated; send smaller batches`
        : 'compressed data that is damaged',
    );
  }
}
