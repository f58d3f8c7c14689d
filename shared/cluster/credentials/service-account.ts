import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CredentialsError } from '../cluster-errors.ts';
import { type Credentials, renewed } from './credentials.ts';

/** The kubelet replaces a token after 80 % of its lifetime. The former token stays valid for two minutes or more. */
const rereadAfterMs = 60_000;

/**
 * Reads the token and CA of this pod's service account; reads them again after a minute or a 401.
 *
 * Guarantees: while a file cannot be read, its last contents are used, except after a 401. Errors quote no content.
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
  const files = ['token', 'ca.crt'].map((name) => readFile(join(directory, name), 'utf8'));
  const [token = '', ca = ''] = await Promise.all(files).catch(
    ({ path, code }: NodeJS.ErrnoException) => {
      throw new CredentialsError(
        `the pod's service account cannot be used: ${path} cannot be read (${code}); mount its token (automountServiceAccountToken: true), or name a cluster with CLUSTER_CONTEXT`,
      );
    },
  );
  // Puts the CA into a list, because Node would replace an empty string with all public authorities.
  const value = { authorization: `Bearer ${token.trim()}`, tls: { ca: [ca] } };
  return { value, refreshAt: Date.now() + rereadAfterMs, expiresAt: Number.POSITIVE_INFINITY };
}
