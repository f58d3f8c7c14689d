import { isClusterScoped, keyOf, titleOf } from '../../kubernetes.ts';
import type { Outcome } from '../decision/outcome.ts';
import { isAdoptable, type World } from '../observed/world.ts';

const maxNamed = 5;

/** Gives the outcomes of all adoptable children the same message: a condition contains equal messages once. */
export function withRemedy(outcomes: readonly Outcome[], world: World): readonly Outcome[] {
  const { kind, resource, children } = world;
  const adoptable = outcomes.filter(({ reason, child }) => {
    const observed = children.get(keyOf(child));
    return reason === 'ErrResourceExists' && observed && isAdoptable(world, observed);
  });
  const [first] = adoptable;
  if (first === undefined) return outcomes;
  const titles = adoptable.map(({ child }) => titleOf(child));
  const named = titles.slice(0, maxNamed).join(', ');
  const more = titles.length > maxNamed ? ` and ${titles.length - maxNamed} more` : '';
  const where = isClusterScoped(kind) ? '' : ` -n ${resource.namespace}`;
  const message = `${first.message}; labelled as children of this ${kind.kind} but not owned by it, as after a restore: ${named}${more}; to take them over: reconciler adopt ${kind.kind} ${resource.name}${where}`;
  return outcomes.map((one) => (adoptable.includes(one) ? { ...one, message } : one));
}
