import { authUrlAnnotation } from '../kinds/names.ts';
import { type Decided, type Decision, isWriting } from './decision.ts';
import { actsOnForeign, foreignTarget, waitingForOther } from './dependencies.ts';
import { type Doors, exposureDecisions } from './exposures.ts';
import type { ObservedResource } from './observed.ts';
import { isOwn } from './ownership.ts';

/** Everything decided about the children of one resource. */
interface Gates extends Doors {
  /** All wanted children. */
  readonly all: readonly Decided[];
}

/**
 * Exposures, as `exposureDecisions` orders them, with those in front of another's Service withdrawn.
 *
 * Guarantees: where one of these requires scopes, all the resource's Ingresses go, the shallowest path
 * first: its requests would fall through to one that requires fewer.
 */
export function exposuresOf(
  resource: ObservedResource,
  { decided, all, doors, unsteady }: Gates,
): readonly Decision[] {
  const astray = decided.filter(({ child }) => foreignTarget(child, all) !== undefined);
  const [first] = astray;
  if (first === undefined) return exposureDecisions(resource, { decided, doors, unsteady });
  const isProtected = astray.some(({ child }) => child.annotations?.[authUrlAnnotation]);
  const closing = isProtected ? decided : astray;
  const target = foreignTarget(first.child, all) ?? first.decision.child;
  const isClosing = ({ name }: { readonly name: string }): boolean =>
    closing.some(({ child }) => child.name === name);
  const steps = exposureDecisions(resource, {
    decided: decided.filter((one) => !closing.includes(one)),
    doors: doors.filter((door) => isOwn(resource, door) || !isClosing(door)),
    unsteady,
  });
  const written = new Set(steps.map(({ child }) => child.name));
  return [
    ...steps.map((step) =>
      step.verb === 'delete' && isClosing(step.child)
        ? { ...step, ...actsOnForeign(step.child, target) }
        : step,
    ),
    ...closing
      .filter(({ child }) => !written.has(child.name))
      .map(({ decision }) => (isWriting(decision) ? waitingForOther(decision, target) : decision)),
  ];
}
