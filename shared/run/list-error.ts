import { isNotFound, messageOf } from '../cluster/cluster-errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { groupResource, includesType, isCustom, type ResourceType } from '../kubernetes.ts';

/**
 * Explains why the objects of a type could not be listed, with the remedy if the cluster does not serve the
 * type.
 */
export function listErrorOf(type: ResourceType, kinds: readonly Kind[], error: unknown): string {
  if (!isNotFound(error)) return messageOf(error);
  const notServed = `${groupResource(type)} ${type.version} is not served`;
  if (includesType(kinds, type))
    return `${notServed}: install its CRD (infra/crds/) or leave it out of KINDS`;
  const owners = kinds.filter(({ owns }) => includesType(owns, type));
  const cure = isCustom(type) ? 'install its CRD' : 'use a version of Kubernetes that has it';
  const wanting = owners.filter(({ formerly }) => !includesType(formerly, type));
  return wanting.length === 0
    ? `${notServed}, and ${namesOf(owners)} formerly owned it: ${cure}, or remove it from formerly`
    : `${notServed}, and ${namesOf(wanting)} owns it: ${cure}, or leave ${namesOf(wanting)} out of KINDS`;
}

const namesOf = (kinds: readonly Kind[]): string => kinds.map(({ kind }) => kind).join(' or ');
