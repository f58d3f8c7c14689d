import { createHash } from 'node:crypto';
import { canonical, canonicalJson } from '../../canonical.ts';
import type { Json } from '../../kubernetes.ts';

const maxText = 1024;
const prefix = '(sha256 ';

/** Returns the cost in units of 10 ns. */
const stepsToHash = ({ length }: string): number => 100 + Math.ceil(length / 8);

type Spend = (units: number) => void;

/**
 * Shortens a long text to, for example, `(sha256 … of 100000 characters)`.
 *
 * Guarantees: different strings stay different. A short text of that form, which anyone may write, is hashed
 * too.
 */
export function shortText(text: string, spend?: Spend): string {
  if (text.length <= maxText && !text.startsWith(prefix)) return text;
  spend?.(stepsToHash(text));
  // Hashes UTF-16, because in UTF-8 all lone surrogates would be equal.
  const digest = createHash('sha256').update(text, 'utf16le').digest('base64url');
  return `${prefix}${digest} of ${text.length} characters)`;
}

export const shortJson = (value: Json | undefined): string =>
  JSON.stringify(canonical(shortText, value)) ?? '';

/** Reports whether the value may contain shortened strings, so that it must not be written. */
export const hasShortened = (kept: Json): boolean => canonicalJson(kept).includes(`"${prefix}`);
