import { X509Certificate } from 'node:crypto';
import { present, textAt } from '../../json.ts';

/** Limit in characters of base64. A certificate with a hundred names has fewer. */
const longest = 32_768;

/**
 * Reads the certificate in a Secret's data. `renewAt`: when two thirds of its validity are over. `authority`:
 * the fingerprint of its authority. Omits the fact of a value that is no certificate.
 */
export function certificateFacts(data: unknown) {
  const own = certificateIn(data, 'tls.crt');
  const authority = certificateIn(data, 'ca.crt')?.fingerprint256;
  return present({ renewAt: own && renewalOf(own), authority });
}

function renewalOf({ validFromDate, validToDate }: X509Certificate): string {
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return new Date(from + ((to - from) * 2) / 3).toISOString();
}

function certificateIn(data: unknown, key: string): X509Certificate | undefined {
  const text = textAt(data, key);
  if (text === undefined || text.length > longest) return undefined;
  try {
    return new X509Certificate(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}
