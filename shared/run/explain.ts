import {
  isDenied,
  isTransient,
  KubeError,
  messageOf,
  OversizedError,
  UnreachableError,
} from '../cluster/cluster-errors.ts';
import type { ChildType } from '../kinds/child-type.ts';
import { secret, service } from '../kinds/child-types/core.ts';
import { isSameType } from '../kubernetes.ts';
import type { FailedRequest } from '../plan/observed/world.ts';
import { withoutSeparators } from '../printable.ts';
import type { Run } from './run.ts';

/** Explains why a request failed, for a condition. */
export async function explain(run: Run, type: ChildType, error: unknown): Promise<FailedRequest> {
  const missing = error instanceof KubeError ? missingNamespace(error) : undefined;
  if (missing !== undefined) return { reason: missing, message: textOf(error), transient: true };
  const message = isSameType(type, secret) ? withheld(error) : textOf(error);
  if (error instanceof KubeError && isSameType(type, service)) {
    const port = refusedNodePort(error);
    if (port !== undefined) return portTaken(run, port, message);
  }
  if (error instanceof KubeError) {
    // Removes spaces, because a condition's reason is one word, unlike `HTTP 502` for a response without a
    // reason.
    const reason = error.reason.replaceAll(' ', '');
    return { reason, message, transient: isTransient(error) };
  }
  if (error instanceof OversizedError)
    return { reason: 'UnreadableObject', message, transient: false };
  const reason = error instanceof UnreachableError ? 'Unreachable' : 'NotFinished';
  return { reason, message, transient: true };
}

/** Returns the reason why nothing can be created in the namespace: it does not exist yet, or is being deleted. */
function missingNamespace({ code, resource, causes }: KubeError): string | undefined {
  if (code === 404 && resource === 'namespaces') return 'NamespaceNotFound';
  const isLeaving = causes.some(({ reason }) => reason === 'NamespaceTerminating');
  return code === 403 && isLeaving ? 'NamespaceTerminating' : undefined;
}

/** Returns the message. Replaces `; ` in a server's message, because we separate messages with it. */
const textOf = (error: unknown): string =>
  error instanceof KubeError
    ? withoutSeparators(error.message.replace(refusedGrant, `$1: ${grantRemedy}`))
    : messageOf(error);

/** Matches a refused grant of RBAC, up to the list of rules, which may be long. */
const refusedGrant =
  /^(.{1,1000}? is attempting to grant RBAC permissions not currently held):.*$/s;
const grantRemedy =
  'show the grant in a sample of the kind, and apply the output of `reconciler generate rbac`';

/** Returns the message for a refused Secret without the server's text, which may repeat its values. */
function withheld(error: unknown): string {
  const isHarmless =
    !(error instanceof KubeError) || [401, 429, 503].includes(error.code) || isDenied(error);
  if (isHarmless) return textOf(error);
  const fields = error.causes.flatMap(({ field }) => field ?? []);
  const where = fields.length === 0 ? '' : ` at ${fields.join(', ')}`;
  return `Secret refused: ${error.reason}${where}; the server's message is withheld because it may contain the Secret's data`;
}

/**
 * Returns the node port in a refusal because it is allocated; undefined for other refusals. A 422 says
 * `Invalid value: 31000: provided port is already allocated`; a 500 is about a healthCheckNodePort and names
 * no field.
 */
function refusedNodePort({ reason, causes, message }: KubeError): number | undefined {
  if (reason === 'InternalError') return numberIn(/HealthCheck NodePort (\d+): .*already/, message);
  if (reason !== 'Invalid') return undefined;
  const cause = causes.find(
    ({ field = '', message = '' }) =>
      /^spec\.ports\[\d+\]\.nodePort$/.test(field) && message.includes('already allocated'),
  );
  return numberIn(/Invalid value: (\d+)/, cause?.message ?? '');
}

function numberIn(pattern: RegExp, text: string): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

async function portTaken(run: Run, port: number, refusal: string): Promise<FailedRequest> {
  const reason = 'NodePortTaken';
  const holder = await run.nodePorts().then(
    (holders) => holders.get(port),
    (error: unknown) =>
      error instanceof KubeError && error.code === 403
        ? 'a Service in a namespace that the functions may not read'
        : `a Service (which one is unknown: ${messageOf(error)})`,
  );
  // No Service has the port any more, so the next attempt will succeed.
  if (holder === undefined) return { reason, message: refusal, transient: true };
  const message = `node port ${port} is held by ${holder}: choose another one, or free it there`;
  return { reason, message, transient: false };
}
