import { isClusterScoped, titleOf } from '../../kubernetes.ts';
import { isAdoptable } from '../observed/ownership.ts';
import type { World } from '../observed/world.ts';
import { alreadyExists, type Decided } from './decision.ts';

const maxNamed = 5;

/** Gives the children that `adopt` would take over one message, so that a condition says it once. */
export function withRemedy(decided: readonly Decided[], world: World): readonly Decided[] {
  const orphans = decided.filter(
    ({ decision, observed }) =>
      decision.verb === 'block' &&
      decision.reason === 'ErrResourceExists' &&
      observed !== undefined &&
      isAdoptable(world, observed),
  );
  const [first] = orphans;
  if (first === undefined) return decided;
  const { kind, resource } = world;
  const titles = orphans.map(({ decision }) => titleOf(decision.child));
  const more = titles.length > maxNamed ? ` and ${titles.length - maxNamed} more` : '';
  const where = isClusterScoped(kind) ? '' : ` -n ${resource.namespace}`;
  const message = [
    alreadyExists(kind, first.decision.child),
    `labelled as children of this ${kind.kind} but not owned by it, as after a restore: ${titles.slice(0, maxNamed).join(', ')}${more}`,
    `to take them over: reconciler adopt ${kind.kind} ${resource.name}${where}`,
  ].join('; ');
  return decided.map((one) => {
    const { type, namespace, child } = one.decision;
    const why = { verb: 'block', reason: 'ErrResourceExists', message } as const;
    return orphans.includes(one) ? { ...one, decision: { type, namespace, child, ...why } } : one;
  });
}
