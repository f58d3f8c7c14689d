import { X509Certificate } from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Reports whether the text is PEM with at least one certificate, all of them complete. TLS itself skips a
 * certificate that it cannot parse, and may then trust no authority at all.
 */
export function areCertificates(pem: string): boolean {
  const found = pem.match(block) ?? [];
  const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1;
  return found.length > 0 && found.length === begun && found.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
