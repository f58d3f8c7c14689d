import { messageOf, UnreachableError } from '../../../shared/cluster/errors.ts';

/** A server answers, but its certificate is not accepted. */
export class CertificateError extends UnreachableError {
  readonly remedy: string;

  constructor(message: string, { cause, remedy }: { cause: unknown; remedy: string }) {
    super(message, { cause });
    this.remedy = remedy;
  }
}

/** Why a request had no answer; the timeout is the one of the request. */
export function whyUnanswered(cause: unknown, timeoutMs: number): string {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join('; ');
  const isLate = cause instanceof Error && ['AbortError', 'TimeoutError'].includes(cause.name);
  if (isLate) return `nothing within ${timeoutMs / 1000} s`;
  // Node goes on with an option of its own.
  const [why = ''] = messageOf(cause).split('; if the root CA');
  return why.trim() || String(cause);
}

/** What to do about a certificate that was not accepted; undefined for any other error. */
export function certificateRemedy(cause: unknown): string | undefined {
  const code = String((cause as { code?: unknown } | undefined)?.code);
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return "check this machine's clock, or have the certificate renewed";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'check server and tls-server-name of the cluster in the kubeconfig';
  return untrusted.test(code)
    ? 'check certificate-authority-data of the cluster in the kubeconfig'
    : undefined;
}

/** The codes of OpenSSL about a chain that ends in no known authority. */
const untrusted = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|^CERT_/;
