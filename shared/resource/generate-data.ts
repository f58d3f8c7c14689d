import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Key } from '../cluster/cluster.ts';
import { present, textAt } from '../json.ts';
import { secret } from '../kinds/child-types/core.ts';
import { generatedKeys, type KeyPair } from '../kinds/references/generated-data.ts';
import type { JsonObject } from '../kubernetes.ts';
import type { Apply } from '../plan/decision/requests.ts';
import type { Run } from '../run/run.ts';
import type { Signer } from './sign-certificate.ts';

/** Makes random strings, a key pair or a certificate. With no keys to generate, returns the live pair or certificate. */
export async function generateData(
  run: Run,
  { generates = [], keyPair, certificate }: Apply,
  { namespace, name, exists }: Key & { readonly exists: boolean },
): Promise<JsonObject> {
  const kept = generates.length === 0 ? generatedKeys({ keyPair, certificate }) : [];
  if (kept.length > 0) {
    const live = await run.cluster.get(secret, { namespace, name });
    return present(Object.fromEntries(kept.map((key) => [key, textAt(live?.data, key)])));
  }
  if (keyPair !== undefined) return inBase64(await pairOf(keyPair));
  if (certificate === undefined)
    return inBase64(generates.map((key) => [key, randomBytes(24).toString('base64url')]));
  const { issuer } = certificate;
  const former = exists && !issuer ? await signerIn(run, { namespace, name }) : undefined;
  const other = issuer ? await signerOf(run, { namespace, name: issuer }) : former;
  // Loads the X.509 packages only if a certificate is due.
  const { signCertificate } = await import('./sign-certificate.ts');
  return inBase64(Object.entries(await signCertificate(certificate, run.clients.now(), other)));
}

const inBase64 = (values: readonly (readonly [string, string])[]): JsonObject =>
  Object.fromEntries(values.map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

const generate = promisify(generateKeyPair);

async function pairOf({ privateKey, publicKey, algorithm = 'ed25519' }: KeyPair) {
  const pair = await pairs[algorithm]();
  return [
    [privateKey, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    [publicKey, pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  ] as const;
}

const pairs = {
  rsa: () => generate('rsa', { modulusLength: 3072 }),
  ecdsa: () => generate('ec', { namedCurve: 'P-256' }),
  ed25519: () => generate('ed25519'),
};

async function signerOf(run: Run, at: Key): Promise<Signer> {
  const signer = await signerIn(run, at);
  if (signer.certificate && signer.key) return signer;
  const remedy = 'restore both, or let a kind generate an authority in it';
  throw new Error(`Secret ${at.name}, the issuer, lacks tls.crt or tls.key: ${remedy}`);
}

/** Returns an empty string for each value that the Secret lacks. */
async function signerIn({ cluster }: Run, at: Key): Promise<Signer> {
  const live = await cluster.get(secret, at);
  const textOf = (key: string) => Buffer.from(textAt(live?.data, key) ?? '', 'base64').toString();
  return { certificate: textOf('tls.crt'), key: textOf('tls.key'), trusted: textOf('ca.crt') };
}
