import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CredentialsError } from '../cluster-errors.ts';
import { areCertificates } from '../http/transport.ts';
import { type Credentials, renewed } from './credentials.ts';

/** The kubelet replaces a token after 80 % of its lifetime; the old one is then valid for at least two minutes. */
const rereadAfterMs = 60_000;

/**
 * Reads token and certificate authority of this pod's service account, again after a minute or a 401.
 *
 * Guarantees: while a file is invalid, the last valid contents are used, except after a 401. Errors quote nothing from
 * a file.
 */
export async function fromServiceAccount(
  server: string,
  directory = '/var/run/secrets/kubernetes.io/serviceaccount',
): Promise<Credentials> {
  const access = renewed(() => readMounted(directory));
  await access(false);
  return { server, access };
}

async function readMounted(directory: string) {
  const files = ['token', 'ca.crt'].map((name) => readTrimmed(join(directory, name)));
  const [token = '', ca = ''] = await Promise.all(files);
  if (!areCertificates(ca))
    throw unusable(join(directory, 'ca.crt'), 'contains no certificate, or an incomplete one');
  const value = { authorization: `Bearer ${token}`, tls: { ca } };
  return { value, refreshAt: Date.now() + rereadAfterMs, expiresAt: Number.POSITIVE_INFINITY };
}

async function readTrimmed(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw unusable(file, `cannot be read (${code})`);
  });
  if (text.trim() === '') throw unusable(file, 'is empty');
  return text.trim();
}

const unusable = (file: string, why: string): CredentialsError =>
  new CredentialsError(
    `the pod's service account cannot be used: ${file} ${why}; mount its token (automountServiceAccountToken: true), or name a cluster with CLUSTER_CONTEXT`,
  );
