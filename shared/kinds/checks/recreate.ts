import type { JsonFields } from '../../json.ts';
import { isSameType } from '../../kubernetes.ts';
import type { ChildType } from '../child-type.ts';

/** Refuses `recreate` if deleting the child would lose data, unless the kind accepts that (`even-with-data`). */
export function recreateProblem(child: JsonFields): string | undefined {
  const type = child.type as ChildType;
  const { kind, exposure, retained } = type;
  if (child.generated !== undefined) return 'recreate would lose generated data; remove it';
  if (child.step !== undefined)
    return 'recreate is not for a step; use a name that depends on its fields';
  if (exposure !== undefined || retained) return `recreate is not supported for ${kind}; remove it`;
  return child.recreate === true && mayHoldData(type)
    ? `recreate would delete data that a ${kind} may hold; set it to "even-with-data" to accept that`
    : undefined;
}

/** Reports whether a deletion may lose data; true for a StatefulSet, which may delete its volume claims. */
const mayHoldData = (type: ChildType): boolean =>
  isSameType(type, { group: 'apps', plural: 'statefulsets' }) ||
  (type.impact?.({ verb: 'delete', fields: [], wanted: {} }) ?? ['unknown']).some((one) =>
    ['data-loss', 'unknown'].includes(one),
  );
