import { authUrlAnnotation } from '../kinds/names.ts';
import { type Decided, type Decision, isWriting } from './decision.ts';
import { actsOnForeign, foreignTarget, waitingForOther } from './dependencies.ts';
import { exposureDecisions } from './exposures.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import { isOwn } from './ownership.ts';

/** Everything decided about the children of one resource. */
interface Gates {
  /** The wanted Ingresses. */
  readonly decided: readonly Decided[];
  /** All wanted children. */
  readonly all: readonly Decided[];
  /** The live Ingresses that count. */
  readonly doors: readonly ObservedChild[];
}

/**
 * Exposures, as `exposureDecisions` orders them, with those in front of another's Service withdrawn.
 *
 * Guarantees: where one of these asks for scopes, all the resource's Ingresses go, the shallowest path
 * first: its requests would fall to one that asks for less.
 */
export function exposuresOf(
  resource: ObservedResource,
  { decided, all, doors }: Gates,
): readonly Decision[] {
  const astray = decided.filter(({ child }) => foreignTarget(child, all) !== undefined);
  const [first] = astray;
  if (first === undefined) return exposureDecisions(resource, decided, doors);
  const isProtected = astray.some(({ child }) => child.annotations?.[authUrlAnnotation]);
  const closing = isProtected ? decided : astray;
  const target = foreignTarget(first.child, all) ?? first.decision.child;
  const isClosing = ({ name }: { readonly name: string }): boolean =>
    closing.some(({ child }) => child.name === name);
  const steps = exposureDecisions(
    resource,
    decided.filter((one) => !closing.includes(one)),
    doors.filter((door) => isOwn(resource, door) || !isClosing(door)),
  );
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
