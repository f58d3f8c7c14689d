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
import {
  AlgorithmIdentifier,
  Certificate as Asn1Certificate,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import type { Certificate } from '../kinds/references/generated-data.ts';

/** The certificate and the private key of an authority, in PEM. */
export interface Signer {
  readonly certificate: string;
  readonly key: string;
}

const generate = promisify(generateKeyPair);
const dayMs = 24 * 3_600_000;
/** Allows for clocks that are behind. */
const backdatedMs = 3_600_000;
const ecdsaWithSha256 = new AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' });
const commonNameType = '2.5.4.3';

/**
 * Makes a P-256 key and a certificate for it, in PEM. Without a signer, the certificate signs itself, as an
 * authority.
 *
 * Guarantees: a certificate expires no later than its authority's.
 */
export async function signCertificate(wanted: Certificate, now: Date, signer: Signer | undefined) {
  const { dnsNames = [], commonName = dnsNames[0] ?? '', days } = wanted;
  const own = await generate('ec', { namedCurve: 'P-256' });
  const authority = signer && new X509Certificate(signer.certificate);
  const end = now.getTime() + (days ?? (signer === undefined ? 3650 : 90)) * dayMs;
  const subject = nameOf(commonName);
  const certificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: ecdsaWithSha256,
    issuer: authority === undefined ? subject : subjectOf(authority),
    validity: new Validity({
      notBefore: new Date(now.getTime() - backdatedMs),
      notAfter: new Date(Math.min(end, authority?.validToDate.getTime() ?? end)),
    }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(derOf(own.publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions(extensionsOf(signer === undefined, dnsNames)),
  });
  const key = signer === undefined ? own.privateKey : createPrivateKey(signer.key);
  const text = signed(certificate, key).toString();
  return {
    'ca.crt': signer?.certificate ?? text,
    'tls.crt': text,
    'tls.key': own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensionsOf(isAuthority: boolean, dnsNames: readonly string[]): Extension[] {
  const usage = isAuthority
    ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
    : KeyUsageFlags.digitalSignature;
  const critical = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: isAuthority })),
    extension(id_ce_keyUsage, new KeyUsage(usage)),
  ];
  for (const one of critical) one.critical = true;
  const names = dnsNames.map((dNSName) => new GeneralName({ dNSName }));
  const usages = new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth]);
  return [
    ...critical,
    ...(isAuthority ? [] : [extension(id_ce_extKeyUsage, usages)]),
    ...(names.length === 0
      ? []
      : [extension(id_ce_subjectAltName, new SubjectAlternativeName(names))]),
  ];
}

const extension = (extnID: string, value: unknown): Extension =>
  new Extension({ extnID, extnValue: new OctetString(AsnConvert.serialize(value)) });

/** A name with only a common name. */
const nameOf = (commonName: string): Name => {
  const value = new AttributeValue({ utf8String: commonName });
  const attribute = new AttributeTypeAndValue({ type: commonNameType, value });
  return new Name([new RelativeDistinguishedName([attribute])]);
};

const subjectOf = ({ raw }: X509Certificate): Name =>
  AsnConvert.parse(raw, Asn1Certificate).tbsCertificate.subject;

/** Returns 16 random bytes. The first one keeps the number positive and of full length. */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(randomBytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.buffer;
}

const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

function signed(tbsCertificate: TBSCertificate, key: KeyObject): X509Certificate {
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), key);
  const certificate = new Asn1Certificate({
    tbsCertificate,
    signatureAlgorithm: ecdsaWithSha256,
    signatureValue: new Uint8Array(signature).buffer,
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate)));
}
