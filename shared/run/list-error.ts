import { isFinal, isForbidden, isNotFound, messageOf } from '../cluster/cluster-errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { groupResource, includesType, isCustom, type ResourceType } from '../kubernetes.ts';
import { type FailedRequest, typeNotServed } from '../plan/observed/world.ts';
import { withoutSeparators } from '../printable.ts';
import { explain } from './explain.ts';
import type { Run } from './run.ts';

/** Explains why the objects of a type could not be listed, with the remedy if it is known. */
export function listErrorOf(type: ResourceType, kinds: readonly Kind[], error: unknown): string {
  if (isForbidden(error)) return `${messageOf(error)}: ${grant}`;
  return isNotFound(error) ? notServedText(type, kinds) : messageOf(error);
}

/** Says that a type is not served, with the remedy. */
export function notServedText(type: ResourceType, kinds: readonly Kind[]): string {
  const notServed = `${groupResource(type)} ${type.version} is not served`;
  if (includesType(kinds, type))
    return `${notServed}: install the CRD that generate crds prints, or omit it from KINDS`;
  const owners = kinds.filter(({ owns }) => includesType(owns, type));
  const cure = isCustom(type) ? 'install its CRD' : 'use a version of Kubernetes that has it';
  const wanting = owners.filter(({ formerly }) => !includesType(formerly, type));
  return wanting.length === 0
    ? `${notServed}, and ${namesOf(owners)} formerly owned it: ${cure}, or remove it from the kind's \`formerly\``
    : `${notServed}, and ${namesOf(wanting)} owns it: ${cure}`;
}

const grant = 'grant the permissions that generate rbac prints';

const namesOf = (kinds: readonly Kind[]): string => kinds.map(({ kind }) => kind).join(' or ');

/** Explains, for conditions, why children of some types are unknown. Returns the reasons by type. */
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
