import { groupResource, isSameType, type ResourceType } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';
import * as apps from './apps.ts';
import * as batch from './batch.ts';
import * as core from './core.ts';
import * as networking from './networking.ts';
import * as smallGroups from './small-groups.ts';

const exported: Readonly<Record<string, ChildType>> = {
  ...apps,
  ...batch,
  ...core,
  ...networking,
  ...smallGroups,
};

export const builtInTypes = Object.values(exported);

/** Refuses a copy of a built-in type that lacks fields: without `exposure`, Ingresses would be written in any order. */
export function builtInProblem(type: ResourceType): string | undefined {
  const [name, builtIn = {}] =
    Object.entries(exported).find(([, one]) => isSameType(one, type)) ?? [];
  // A copy may lack `impact`, because plans then only show `unknown`.
  const missing = Object.keys(builtIn).filter(
    (field) => field !== 'impact' && !Object.hasOwn(type, field),
  );
  return missing.length === 0
    ? undefined
    : `${groupResource(type)} lacks ${missing.join(', ')}; import ${name} from serverless-reconciler`;
}

/** Also returns true for unknown types, and for StatefulSets, because their claims may be deleted with them. */
export const mayHoldData = (type: ChildType): boolean =>
  isSameType(type, apps.statefulSet) ||
  (type
    .impact?.({ verb: 'delete', fields: [], desired: {} })
    .some((one) => ['data-loss', 'unknown'].includes(one)) ??
    !builtInTypes.includes(type));
