import { digestOf, labelValue } from '../names.ts';

/** A key pair in PEM, under two keys of a Secret's data: the private key as PKCS #8, the public key as SPKI. */
export type KeyPair = {
  readonly privateKey: string;
  readonly publicKey: string;
  /** Default: `ed25519`. `ecdsa` uses P-256, `rsa` 3,072 bits. */
  readonly algorithm?: 'ed25519' | 'ecdsa' | 'rsa' | undefined;
};

/**
 * An X.509 certificate for servers and clients, or for an authority that signs such certificates. The Secret has the
 * certificate as `tls.crt`, its P-256 key as `tls.key`, and the authority's certificate as `ca.crt`. If the authority
 * was replaced, `ca.crt` also has the certificate of the former authority, and `tls.crt` also has a certificate of the
 * new authority, signed by the former.
 */
export type Certificate = {
  /** Name of the resource's Secret that holds the authority; absent if this certificate is for an authority. */
  readonly issuer?: string | undefined;
  /** The subject's common name; default: the first of `dnsNames`. */
  readonly commonName?: string | undefined;
  readonly dnsNames?: readonly string[] | undefined;
  /**
   * Days of validity, capped at the issuer's expiry; default: 90 (authority: 3,650). Renewed when two thirds are over.
   */
  readonly days?: number | undefined;
};

/** A key pair or certificate to generate instead of random strings. */
export interface Generator {
  readonly keyPair?: KeyPair | undefined;
  readonly certificate?: Certificate | undefined;
}

interface Desired extends Generator {
  readonly keys?: readonly string[] | undefined;
  readonly rotation?: string | undefined;
}

export const generatedKeys = ({ keys = [], keyPair, certificate }: Desired): readonly string[] => [
  ...keys,
  ...(keyPair === undefined ? [] : [keyPair.privateKey, keyPair.publicKey]),
  ...(certificate === undefined ? [] : ['ca.crt', 'tls.crt', 'tls.key']),
];

/** Returns a text that changes when the data must be generated again. */
export function rotationText({ rotation, certificate }: Desired): string | undefined {
  if (certificate === undefined) return rotation ? labelValue(rotation) : undefined;
  const { issuer = '', commonName = '', dnsNames = [], days = 0 } = certificate;
  const digest = digestOf([rotation ?? '', issuer, commonName, dnsNames, days]);
  return `certificate-${digest.slice(0, 16)}`;
}
