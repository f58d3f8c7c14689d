import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { CredentialsError } from '../cluster-errors.ts';
import { isHeaderValue } from '../http/transport.ts';
import { areCertificates } from './certificate.ts';
import type { Credentials } from './credentials.ts';

/** The directory where the kubelet mounts a pod's service account token. */
const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * How long token and certificates are cached. The kubelet renews a token after 80 % of its lifetime, so the
 * old one is valid for at least two more minutes.
 */
const rereadAfterMs = 60_000;

/** Limit of a file in bytes; no token or CA bundle has more. */
const most = 256 * 1024;

interface Mounted {
  readonly authorization: string;
  readonly ca: string;
  readonly until: number;
}

/**
 * Reads the credentials of this pod's service account.
 *
 * Flow: token and certificate authority are read together, and again after a minute or a 401. Guarantees:
 * while the files cannot be read or are invalid, their last valid contents are used, except after a 401.
 * Errors name the file and quote nothing from it.
 */
export async function fromServiceAccount(
  server: string,
  directory = mounted,
): Promise<Credentials> {
  let kept = await readMounted(directory);
  let tls = { ca: kept.ca };
  let underWay: Promise<Mounted> | undefined;
  const reread = async (): Promise<void> => {
    underWay ??= readMounted(directory).finally(() => {
      underWay = undefined;
    });
    kept = await underWay;
    if (kept.ca !== tls.ca) tls = { ca: kept.ca };
  };
  return {
    server,
    get tls() {
      return tls;
    },
    async authorization(fresh) {
      if (fresh) await reread();
      else if (Date.now() > kept.until) await reread().catch(() => undefined);
      return kept.authorization;
    },
  };
}

async function readMounted(directory: string): Promise<Mounted> {
  const [token, ca] = await Promise.all([
    readSmall(join(directory, 'token')),
    readSmall(join(directory, 'ca.crt')),
  ]);
  const text = token.trim();
  if (text === '' || !isHeaderValue(text))
    throw unusable(join(directory, 'token'), 'holds no token');
  if (!areCertificates(ca))
    throw unusable(join(directory, 'ca.crt'), 'holds no certificate, or an incomplete one');
  return { authorization: `Bearer ${text}`, ca, until: Date.now() + rereadAfterMs };
}

async function readSmall(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(most + 1), 0, most + 1, 0);
      if (bytesRead <= most) return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw unusable(file, `cannot be read (${code})`);
  }
  throw unusable(file, `has more than ${most} bytes`);
}

const unusable = (file: string, why: string): CredentialsError =>
  new CredentialsError(
    `KUBERNETES_SERVICE_HOST: the service account's ${file} ${why}; mount its token (automountServiceAccountToken), or name a cluster by CLUSTER_CONTEXT`,
  );
