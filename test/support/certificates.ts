import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A key with its certificate, both as PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Identity {
  /** Issues a certificate for a server on 127.0.0.1 or a client of this name, valid from an hour ago for a day. */
  readonly issue: (commonName: string, validity?: { readonly isExpired: boolean }) => Identity;
}

/** Creates a CA for a test, because Node can verify certificates but not issue them. */
export function createAuthority(name = 'test authority'): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certify = (
    commonName: string,
    publicKey: KeyObject,
    { extensions, hours = 24 }: { readonly extensions: Buffer; readonly hours?: number },
  ): string =>
    certificate(
      { subject: commonName, issuer: name, publicKey, signer: own.privateKey, hours },
      extensions,
    );
  return {
    certificate: certify(name, own.publicKey, { extensions: sequence(isAuthority) }),
    key: pem(own.privateKey),
    issue(commonName, { isExpired } = { isExpired: false }) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      return {
        certificate: certify(commonName, publicKey, {
          extensions: sequence(isLoopback),
          ...(isExpired ? { hours: -0.5 } : {}),
        }),
        key: pem(privateKey),
      };
    },
  };
}

interface Contents {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  /** Validity from now on. */
  readonly hours: number;
}

/** Encodes a certificate (RFC 5280, section 4.1). */
function certificate(contents: Contents, extensions: Buffer): string {
  const { subject, issuer, publicKey, signer } = contents;
  const hour = 3_600_000;
  const toSign = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(time(Date.now() - hour), time(Date.now() + contents.hours * hour)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = tagged(0x03, Buffer.of(0), sign('sha256', toSign, signer));
  const base64 = sequence(toSign, ecdsaWithSha256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80
      ? Buffer.of(length)
      : length < 0x100
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

const sequence = (...contents: readonly Buffer[]): Buffer => tagged(0x30, ...contents);
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const identifier = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'));
const octets = (...contents: readonly Buffer[]): Buffer => tagged(0x04, ...contents);
const truth = tagged(0x01, Buffer.of(0xff));

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));

const nameOf = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(commonName)))));

const time = (at: number): Buffer =>
  tagged(0x18, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));

const isAuthority = sequence(identifier('551d13'), truth, octets(sequence(truth)));
const isLoopback = sequence(
  identifier('551d11'),
  octets(sequence(tagged(0x87, Buffer.of(127, 0, 0, 1)))),
);
