import { createHash } from 'node:crypto';
import { canonical, canonicalJson } from '../../canonical.ts';
import type { Json } from '../../kubernetes.ts';

const maxText = 1024;
const prefix = '(sha256 ';

/** Replaces long strings, and strings that look shortened, with digests, so that different strings stay different. */
export function shortText(text: string, spend?: (units: number) => void): string {
  if (text.length <= maxText && !text.startsWith(prefix)) return text;
  spend?.(100 + Math.ceil(text.length / 8));
  // Not in UTF-8, in which all lone surrogates would be equal.
  const digest = createHash('sha256').update(text, 'utf16le').digest('base64url');
  return `${prefix}${digest} of ${text.length} characters)`;
}

export const shortJson = (value: Json | undefined): string =>
  JSON.stringify(canonical(shortText, value)) ?? '';

/** Reports whether a value may contain a shortened string. Such a value must not be written. */
export const hasShortened = (kept: Json): boolean => canonicalJson(kept).includes(`"${prefix}`);
