import { groupResource, type ResourceType } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import * as apps from './apps.ts';
import * as batch from './batch.ts';
import * as core from './core.ts';
import * as networking from './networking.ts';
import * as rbac from './rbac.ts';
import * as smallGroups from './small-groups.ts';

const exported: Readonly<Record<string, ChildType>> = {
  ...apps,
  ...batch,
  ...core,
  ...networking,
  ...rbac,
  ...smallGroups,
};

export const builtInTypes = Object.values(exported);

const byType = new Map(
  Object.entries(exported).map(([name, type]) => [groupResource(type), { name, type }]),
);

/**
 * Names the fields that a hand-written copy of a built-in type lacks, and the remedy; undefined if it lacks none.
 * Without them, a kind would not receive a Secret's keys, or Ingresses would be written in any order.
 */
export function builtInProblem(type: ResourceType): string | undefined {
  const found = byType.get(groupResource(type));
  if (found === undefined) return undefined;
  // A copy may lack `impact`: plans then show `unknown`.
  const needed = Object.keys(found.type).filter((field) => field !== 'impact');
  const missing = needed.filter((field) => !Object.hasOwn(type, field));
  return missing.length === 0
    ? undefined
    : `${groupResource(type)} lacks ${missing.join(', ')}; import ${found.name} from serverless-reconciler`;
}
