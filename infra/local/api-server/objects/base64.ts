import { DecodeError } from '../errors/decode-error.ts';

const base64Digit = /[A-Za-z0-9+/]/;
const lineEnd = /[\r\n]/;

/** Decodes standard base64 and encodes it canonically, without line ends; throws a DecodeError if it is invalid. */
export function canonicalBase64(text: string): string {
  const wrong = firstWrong(text);
  if (wrong !== undefined) throw new DecodeError(`illegal base64 data at input byte ${wrong}`);
  return Buffer.from(text, 'base64').toString('base64');
}

/**
 * Returns the position at which Go's decoder stops. It reads groups of four, and reports an incomplete group
 * by its start.
 */
function firstWrong(text: string): number | undefined {
  let group = '';
  for (let at = 0; at < text.length; at++) {
    const byte = text.charAt(at);
    if (lineEnd.test(byte)) continue;
    if (base64Digit.test(byte)) {
      group = group.length === 4 ? byte : group + byte;
      continue;
    }
    const isPadding = byte === '=' && (group.length === 2 || group.length === 3);
    return isPadding ? wrongPadding(text, at, group.length) : at;
  }
  return group.length % 4 === 0 ? undefined : text.length - group.length;
}

function wrongPadding(text: string, at: number, digits: number): number | undefined {
  let next = afterLineEnds(text, at + 1);
  if (digits === 2) {
    if (next === text.length) return text.length;
    if (text[next] !== '=') return next - 1;
    next = afterLineEnds(text, next + 1);
  }
  return next < text.length ? next : undefined;
}

function afterLineEnds(text: string, from: number): number {
  let at = from;
  while (at < text.length && lineEnd.test(text.charAt(at))) at++;
  return at;
}
