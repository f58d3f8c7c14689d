import {
  isDenied,
  isFinal,
  isForbidden,
  isNotFound,
  isTransient,
  KubeError,
  messageOf,
  OversizedError,
  UnreachableError,
} from '../cluster/cluster-errors.ts';
import type { ChildType } from '../kinds/child-type.ts';
import { secret, service } from '../kinds/child-types/core.ts';
import type { Kind } from '../kinds/kind.ts';
import {
  groupResource,
  includesType,
  isCustom,
  isSameType,
  type ResourceType,
} from '../kubernetes.ts';
import { type FailedRequest, typeNotServed } from '../plan/observed/world.ts';
import { withoutSeparators } from '../printable.ts';
import type { Run } from './run.ts';

/** Explains why a request failed, for a condition. */
export async function explain(run: Run, type: ChildType, error: unknown): Promise<FailedRequest> {
  if (error instanceof OversizedError)
    return { reason: 'UnreadableObject', message: messageOf(error), transient: false };
  if (!(error instanceof KubeError)) {
    const reason = error instanceof UnreachableError ? 'Unreachable' : 'NotFinished';
    return { reason, message: messageOf(error), transient: true };
  }
  const missing = missingNamespace(error);
  if (missing !== undefined) return { reason: missing, message: quoted(error), transient: true };
  const message = isSameType(type, secret) ? withheld(error) : quoted(error);
  const port = isSameType(type, service) ? refusedNodePort(error) : undefined;
  if (port !== undefined) return portTaken(run, port, message);
  // The reason of a response without a Status, such as `HTTP 502`, has a space, which no condition allows.
  return { reason: error.reason.replaceAll(' ', ''), message, transient: isTransient(error) };
}

/** Returns the reason if the namespace does not exist, or is being deleted. */
function missingNamespace({ code, resource, causes }: KubeError): string | undefined {
  if (code === 404 && resource === 'namespaces') return 'NamespaceNotFound';
  const isLeaving = causes.some(({ reason }) => reason === 'NamespaceTerminating');
  return code === 403 && isLeaving ? 'NamespaceTerminating' : undefined;
}

/** Returns the message without `; `, which separates the messages of a condition. */
const quoted = ({ message }: KubeError): string =>
  withoutSeparators(message.replace(refusedGrant, `$1: ${grantRemedy}`));

/** Matches a refused RBAC grant. The message continues with a list of rules, which may be long. */
const refusedGrant =
  /^(.{1,1000}? is attempting to grant RBAC permissions not currently held):.*$/s;
const grantRemedy =
  'add a sample of the kind with this grant, and apply the output of `reconciler generate rbac`';

/** Returns the message about a refused Secret. Quotes only an authorizer's refusal: webhooks may quote values. */
function withheld(error: KubeError): string {
  if (isDenied(error)) return quoted(error);
  const fields = error.causes.flatMap(({ field }) => field ?? []);
  const where = fields.length === 0 ? '' : ` at ${fields.join(', ')}`;
  return `Secret refused: ${error.reason}${where}; the server's message is withheld because it may contain the Secret's data`;
}

/** Returns the node port that a refusal names as taken: an Invalid or, for the port of a health check, a 500. */
function refusedNodePort({ reason, causes, message }: KubeError): number | undefined {
  const cause = causes.find(
    ({ field = '', message = '' }) =>
      /^spec\.ports\[\d+\]\.nodePort$/.test(field) && message.includes('already allocated'),
  );
  const found =
    reason === 'InternalError'
      ? /HealthCheck NodePort (\d+): .*already/.exec(message)
      : reason === 'Invalid' && /Invalid value: (\d+)/.exec(cause?.message ?? '');
  return found ? Number(found[1]) : undefined;
}

async function portTaken(run: Run, port: number, refusal: string): Promise<FailedRequest> {
  const reason = 'NodePortTaken';
  const unknown = (error: unknown): string =>
    isForbidden(error)
      ? 'a Service in a namespace that the functions may not read'
      : `an unknown Service (${messageOf(error)})`;
  const holder = await run.nodePorts().then((holders) => holders.get(port), unknown);
  // No Service has the port now, so the next attempt may succeed.
  if (holder === undefined) return { reason, message: refusal, transient: true };
  const message = `node port ${port} is held by ${holder}: choose another one, or free it there`;
  return { reason, message, transient: false };
}

/** Explains why the objects of a type could not be listed, with the remedy if it is known. */
export function listErrorOf(type: ResourceType, kinds: readonly Kind[], error: unknown): string {
  if (isForbidden(error))
    return `${messageOf(error)}: grant the permissions that \`reconciler generate rbac\` prints`;
  return isNotFound(error) ? notServedText(type, kinds) : messageOf(error);
}

export function notServedText(type: ResourceType, kinds: readonly Kind[]): string {
  const notServed = `${groupResource(type)} ${type.version} is not served`;
  if (includesType(kinds, type))
    return `${notServed}: install the CRD that \`reconciler generate crds\` prints, or omit the kind from KINDS`;
  const owners = kinds.filter(({ owns }) => includesType(owns, type));
  const cure = isCustom(type) ? 'install its CRD' : 'use a version of Kubernetes that has it';
  const wanting = owners.filter(({ formerly }) => !includesType(formerly, type));
  return wanting.length === 0
    ? `${notServed}, and ${namesOf(owners)} formerly owned it: ${cure}, or remove it from the kind's \`formerly\``
    : `${notServed}, and ${namesOf(wanting)} owns it: ${cure}`;
}

const namesOf = (kinds: readonly Kind[]): string => kinds.map(({ kind }) => kind).join(' or ');

/** Explains, for conditions, why children of some types could not be listed. Returns the reasons by type. */
export async function unlistedOf(
  run: Run,
  kind: Kind,
  failed: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, FailedRequest>> {
  const unlisted = new Map<string, FailedRequest>();
  for (const type of kind.owns) {
    const error = failed.get(groupResource(type));
    if (error === undefined) continue;
    const { reason, message } = await explain(run, type, error);
    unlisted.set(groupResource(type), {
      reason: isNotFound(error) ? typeNotServed : reason,
      message: isFinal(error) ? withoutSeparators(listErrorOf(type, [kind], error)) : message,
      transient: !isFinal(error),
    });
  }
  return unlisted;
}
