import 'reflect-metadata';
import { createPrivateKey, KeyObject, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { Certificate } from '../kinds/references/generated-data.ts';

/** The data of an authority's Secret, in PEM. */
export interface Signer {
  /** The self-signed certificate, and perhaps a certificate for the same key, signed by the former authority. */
  readonly certificate: string;
  readonly key: string;
  /** The certificates to trust: the authority's own, then the former authority's. */
  readonly trusted: string;
}

const dayMs = 24 * 3_600_000;
/** How much earlier a certificate begins, for clients whose clocks are behind. */
const backdatedMs = 3_600_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Makes a P-256 key and a certificate that expires no later than its issuer's; without an issuer, the certificate of an
 * authority. If the former authority can still sign, adds its certificate to `ca.crt`, and lets it sign another
 * certificate of the new key, for `tls.crt`.
 */
export async function signCertificate(request: Certificate, now: Date, other?: Signer) {
  const signer = request.issuer === undefined ? undefined : other;
  const own = await newKeys();
  const certificate = await sign({ request, now, own }, signer);
  const key = KeyObject.from(own.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  const dataWith = (chain: readonly string[], trusted: readonly string[]) => ({
    'ca.crt': trusted.join('\n'),
    'tls.crt': [certificate, ...chain].join('\n'),
    'tls.key': key,
  });
  if (signer !== undefined) {
    const [first = '', ...chain] = certificatesIn(signer.certificate);
    return dataWith(chain, [
      signer.trusted.startsWith(first) ? signer.trusted : signer.certificate,
    ]);
  }
  if (other === undefined || !canSign(other, now)) return dataWith([], [certificate]);
  const cross = await sign({ request, now, own }, other);
  return dataWith([cross], [certificate, ...certificatesIn(other.certificate).slice(0, 1)]);
}

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

interface Unsigned {
  readonly request: Certificate;
  readonly now: Date;
  readonly own: Awaited<ReturnType<typeof newKeys>>;
}

async function sign({ request, now, own }: Unsigned, signer: Signer | undefined): Promise<string> {
  const { issuer, dnsNames = [], commonName = dnsNames[0] ?? '', days } = request;
  const isAuthority = issuer === undefined;
  const authority = signer && new x509.X509Certificate(signer.certificate);
  const end = now.getTime() + (days ?? (isAuthority ? 3650 : 90)) * dayMs;
  const subject = new x509.Name([{ CN: [{ utf8String: commonName }] }]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: authority?.subjectName ?? subject,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(Math.min(end, authority?.notAfter.getTime() ?? end)),
    publicKey: own.publicKey,
    signingKey: signer === undefined ? own.privateKey : await keyOf(signer),
    signingAlgorithm: algorithm,
    extensions: [
      ...extensionsOf(isAuthority, dnsNames),
      // The key identifiers distinguish a new authority from the former authority of the same name.
      await x509.SubjectKeyIdentifierExtension.create(own.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority?.publicKey ?? own.publicKey),
    ],
  });
  return certificate.toString('pem');
}

const certificatesIn = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/** Reports whether this is an unexpired authority with its own P-256 key. */
function canSign({ certificate, key }: Signer, now: Date): boolean {
  try {
    const own = new X509Certificate(certificate);
    const privateKey = createPrivateKey(key);
    const isCurve = privateKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return own.ca && own.validToDate > now && isCurve && own.checkPrivateKey(privateKey);
  } catch {
    return false;
  }
}

function keyOf({ key }: Signer) {
  const der = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
  return crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
}

function extensionsOf(isAuthority: boolean, dnsNames: readonly string[]): x509.Extension[] {
  const usage = isAuthority
    ? x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign
    : x509.KeyUsageFlags.digitalSignature;
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const names = dnsNames.map((value) => ({ type: 'dns' as const, value }));
  return [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    new x509.KeyUsagesExtension(usage, true),
    ...(isAuthority ? [] : [new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth])]),
    ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
  ];
}
