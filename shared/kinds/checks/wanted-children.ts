import { includesType, isClusterScoped, type ResourceType } from '../../kubernetes.ts';
import { type Child, titleOfChild } from '../child.ts';
import type { ChildType } from '../child-type.ts';
import { shapeProblems } from './shapes.ts';

/** The function of the kind whose result is checked. */
export type Returning = 'children' | 'finalize';

/** Checks what a kind's code returned, and marks Jobs from `finalize` as steps. Throws, naming the remedy. */
export function checkedChildren(
  definition: ResourceType & { readonly formerly?: readonly ChildType[] },
  returned: Returning,
  wanted: readonly Child[],
): readonly Child[] {
  const { kind, formerly = [] } = definition;
  throwAny(kind, shapeProblems(wanted, returned));
  for (const one of wanted) assertNamespace(definition, returned, one);
  const refuse = (is: (one: Child) => boolean, why: string): void => {
    const wrong = wanted.find(is);
    if (wrong !== undefined)
      throw new Error(`${kind}: ${returned} returned ${wrong.type.kind} ${wrong.name}, ${why}`);
  };
  refuse(
    ({ type, gone }) => gone !== true && includesType(formerly, type),
    'whose type is in formerly; move it to owns',
  );
  if (returned === 'children') {
    refuse(
      ({ gone }) => gone === true,
      'made by gone(), which is for finalize only; to delete a child, leave it out',
    );
    return wanted;
  }
  refuse(
    ({ type }) => type.exposure !== undefined || type.retained === true,
    'which is deleted with its resource, not before; leave it out',
  );
  return wanted.map(asStep);
}

const asStep = (one: Child): Child =>
  one.type.complete === undefined || one.step !== undefined || one.gone
    ? one
    : { ...one, step: 'once' };

export function throwAny(kind: string, problems: readonly string[]): void {
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `${kind}: ${problem}`).join('\n'));
}

function assertNamespace(kind: ResourceType, returned: Returning, child: Child): void {
  const { type, namespace } = child;
  const needsNamespace = isClusterScoped(kind) && !isClusterScoped(type);
  if (needsNamespace === (namespace !== undefined)) return;
  const what = `${kind.kind}: ${returned} returned ${titleOfChild(child)}`;
  if (needsNamespace) throw new Error(`${what} without a namespace; set namespace next to name`);
  const why = isClusterScoped(type)
    ? `${type.kind} is cluster-scoped`
    : `the children of a ${kind.kind} are in its own namespace`;
  throw new Error(`${what} with a namespace; remove it, because ${why}`);
}
