import {
  isFinal,
  isForbidden,
  isInvalid,
  isNotFound,
  isTransient,
  isUnauthorized,
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
  titleOf,
} from '../kubernetes.ts';
import type { Create, Update } from '../plan/decision/decision.ts';
import { type FailedRequest, typeNotServed } from '../plan/observed/world.ts';
import { truncate, withoutSeparators } from '../printable.ts';
import { nodePortsIn } from './node-ports.ts';
import type { Run } from './run.ts';

type Sent = Pick<Create | Update, 'child' | 'namespace' | 'fields'>;

/** Explains an error by a reason and a message for a status condition. `sent` is set for an apply. */
export async function explain(
  run: Run,
  type: ChildType,
  error: unknown,
  sent?: Sent,
): Promise<FailedRequest> {
  if (error instanceof OversizedError)
    return { reason: 'UnreadableObject', message: messageOf(error), transient: false };
  if (!(error instanceof KubeError)) {
    const reason = error instanceof UnreachableError ? 'Unreachable' : 'NotFinished';
    return { reason, message: messageOf(error), transient: true };
  }
  const missing = missingNamespace(error);
  if (missing !== undefined)
    return { reason: missing, message: withoutSeparators(error.message), transient: true };
  const mayBeTaken = isSameType(type, service) && (isAboutNodePort(error) || error.code === 500);
  const taken = sent && mayBeTaken ? await takenPort(run, sent) : undefined;
  if (taken !== undefined) return { reason: 'NodePortTaken', message: taken, transient: false };
  const message = messageFor(type, error, sent);
  // A condition's reason must not contain a space, as `HTTP 502` does.
  const reason = error.reason.replaceAll(' ', '');
  return { reason, message, transient: isTransient(error) || isUnauthorized(error) };
}

function missingNamespace({ code, resource, causes }: KubeError): string | undefined {
  if (code === 404 && resource === 'namespaces') return 'NamespaceNotFound';
  const isLeaving = causes.some(({ reason }) => reason === 'NamespaceTerminating');
  return code === 403 && isLeaving ? 'NamespaceTerminating' : undefined;
}

/** Withholds a message about a Secret, because it may quote values. Shortens a refused grant, which lists all rules. */
function messageFor(type: ChildType, error: KubeError, sent?: Sent): string {
  if (isSameType(type, secret)) return withheld(error, sent ? titleOf(sent.child) : secret.kind);
  const message = withoutSeparators(error.message);
  return type.group === 'rbac.authorization.k8s.io' && isForbidden(error)
    ? `${truncate(message, 400)}: ${grantRemedy}`
    : message;
}

const grantRemedy =
  'if a permission is missing, add a sample whose child needs it and apply what `reconciler generate rbac` prints';

function withheld(error: KubeError, title: string): string {
  const fields = error.causes.flatMap(({ field }) => field ?? []);
  const where = fields.length === 0 ? '' : ` at ${fields.join(', ')}`;
  const remedy = isForbidden(error)
    ? '; `reconciler doctor` lists missing permissions: if none is missing, a quota or an admission policy refused it'
    : '';
  return `${title} was refused: ${error.reason}${where}; the server's message is withheld because it may contain the Secret's data${remedy}`;
}

const isAboutNodePort = (error: KubeError): boolean =>
  isInvalid(error) &&
  error.causes.some(({ field = '' }) => /^spec\.ports\[\d+\]\.nodePort$/.test(field));

async function takenPort(run: Run, { child, namespace, fields: { spec } }: Sent) {
  const ports = nodePortsIn(spec);
  const holders = ports.length === 0 ? undefined : await run.nodePorts().catch(() => undefined);
  const own = titleOf({ kind: service.kind, namespace, name: child.name });
  for (const port of ports) {
    const holder = holders?.get(port);
    if (holder !== undefined && holder !== own)
      return `node port ${port} is held by ${holder}: choose another one, or free it there`;
  }
  return undefined;
}

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
  const cure = `${isCustom(type) ? 'install a CRD' : 'use a version of Kubernetes'} that serves it`;
  const wanting = owners.filter(({ formerly }) => !includesType(formerly, type));
  return wanting.length === 0
    ? `${notServed}, but former children of ${namesOf(owners)} have this type: ${cure}, or remove the type from \`formerly\``
    : `${notServed}, but children of ${namesOf(wanting)} have this type: ${cure}`;
}

const namesOf = (kinds: readonly Kind[]): string => kinds.map(({ kind }) => kind).join(' or ');

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
