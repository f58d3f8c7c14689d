import {
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { promisify } from 'node:util';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import * as x509 from '@peculiar/asn1-x509';
import type { Certificate } from '../kinds/references/generated-data.ts';

/** The certificate and the private key of an authority, in PEM. */
export interface Signer {
  readonly certificate: string;
  readonly key: string;
}

const generate = promisify(generateKeyPair);
const dayMs = 24 * 3_600_000;
/** Time by which a certificate is backdated, for clients whose clocks are behind. */
const backdatedMs = 3_600_000;
const ecdsaWithSha256 = new x509.AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' });
const commonNameType = '2.5.4.3';

/**
 * Makes a P-256 key and a certificate, in PEM, that expires no later than the signer's. Without a signer, makes
 * the self-signed certificate of an authority.
 */
export async function signCertificate(request: Certificate, now: Date, signer: Signer | undefined) {
  const { dnsNames = [], commonName = dnsNames[0] ?? '', days } = request;
  const own = await generate('ec', { namedCurve: 'P-256' });
  const authority = signer && new X509Certificate(signer.certificate);
  const end = now.getTime() + (days ?? (signer === undefined ? 3650 : 90)) * dayMs;
  const subject = nameOf(commonName);
  const certificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: serialNumber(),
    signature: ecdsaWithSha256,
    issuer: authority === undefined ? subject : subjectOf(authority),
    validity: new x509.Validity({
      notBefore: new Date(now.getTime() - backdatedMs),
      notAfter: new Date(Math.min(end, authority?.validToDate.getTime() ?? end)),
    }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(derOf(own.publicKey), x509.SubjectPublicKeyInfo),
    extensions: new x509.Extensions(extensionsOf(signer === undefined, dnsNames)),
  });
  const key = signer === undefined ? own.privateKey : createPrivateKey(signer.key);
  const text = signed(certificate, key).toString();
  return {
    'ca.crt': signer?.certificate ?? text,
    'tls.crt': text,
    'tls.key': own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensionsOf(isAuthority: boolean, dnsNames: readonly string[]): x509.Extension[] {
  const usage = isAuthority
    ? x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign
    : x509.KeyUsageFlags.digitalSignature;
  const names = dnsNames.map((dNSName) => new x509.GeneralName({ dNSName }));
  const usages = new x509.ExtendedKeyUsage([x509.id_kp_serverAuth, x509.id_kp_clientAuth]);
  const alternatives = new x509.SubjectAlternativeName(names);
  return [
    extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: isAuthority }), true),
    extension(x509.id_ce_keyUsage, new x509.KeyUsage(usage), true),
    ...(isAuthority ? [] : [extension(x509.id_ce_extKeyUsage, usages)]),
    ...(names.length === 0 ? [] : [extension(x509.id_ce_subjectAltName, alternatives)]),
  ];
}

function extension(extnID: string, value: unknown, critical = false): x509.Extension {
  const extnValue = new OctetString(AsnConvert.serialize(value));
  return new x509.Extension({ extnID, critical, extnValue });
}

const nameOf = (commonName: string): x509.Name => {
  const value = new x509.AttributeValue({ utf8String: commonName });
  const attribute = new x509.AttributeTypeAndValue({ type: commonNameType, value });
  return new x509.Name([new x509.RelativeDistinguishedName([attribute])]);
};

const subjectOf = ({ raw }: X509Certificate): x509.Name =>
  AsnConvert.parse(raw, x509.Certificate).tbsCertificate.subject;

/** Returns 16 random bytes. The first two bits are 01, so that the number is positive and has a fixed length. */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(randomBytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.buffer;
}

const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

function signed(tbsCertificate: x509.TBSCertificate, key: KeyObject): X509Certificate {
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), key);
  const certificate = new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: ecdsaWithSha256,
    signatureValue: new Uint8Array(signature).buffer,
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate)));
}
