import 'reflect-metadata';
import { createPrivateKey, KeyObject } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { Certificate } from '../kinds/references/generated-data.ts';

/** The certificate and the private key of an authority, in PEM. */
export interface Signer {
  readonly certificate: string;
  readonly key: string;
}

const dayMs = 24 * 3_600_000;
/** For clients whose clocks are behind. */
const backdatedMs = 3_600_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Makes a P-256 key and a certificate that expires no later than the signer's. Without a signer, makes an authority.
 */
export async function signCertificate(request: Certificate, now: Date, signer: Signer | undefined) {
  const { dnsNames = [], commonName = dnsNames[0] ?? '', days } = request;
  const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority = signer && new x509.X509Certificate(signer.certificate);
  const end = now.getTime() + (days ?? (signer === undefined ? 3650 : 90)) * dayMs;
  const subject = new x509.Name([{ CN: [{ utf8String: commonName }] }]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: authority?.subjectName ?? subject,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(Math.min(end, authority?.notAfter.getTime() ?? end)),
    publicKey: own.publicKey,
    signingKey: signer === undefined ? own.privateKey : await keyOf(signer),
    signingAlgorithm: algorithm,
    extensions: extensionsOf(signer === undefined, dnsNames),
  });
  const text = certificate.toString('pem');
  return {
    'ca.crt': signer?.certificate ?? text,
    'tls.crt': text,
    'tls.key': KeyObject.from(own.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
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
