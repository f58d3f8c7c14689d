import { type Child, type ChildName, titleOfChild } from '../../kinds/child.ts';
import { labelValue } from '../../kinds/names.ts';
import { isOfType, keyOf, type ObjectRef, titleOf } from '../../kubernetes.ts';
import { childLabels } from '../observed/apply-manifest.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { isOrphan, isOwn } from '../observed/ownership.ts';
import {
  type FailedRequest,
  isKnown,
  type ReadTarget,
  refOf,
  type World,
} from '../observed/world.ts';

interface Case {
  readonly child: Child;
  readonly ref: ObjectRef;
  readonly world: World;
  readonly observed: ObservedChild | undefined;
}

/** Why data is not generated: it waits, or needs manual action. */
interface Obstacle {
  readonly verb: 'wait' | 'block';
  readonly reason: string;
  readonly message: string;
}

/** The keys of Secret data to generate, or why they must not be generated. */
export function missingData(one: Case): readonly string[] | Obstacle {
  const { child, world, observed } = one;
  const keys = missingKeys(child, observed);
  if (keys.length === 0) return keys;
  const usedBy = child.generated?.usedBy ?? [];
  for (const holder of [child, ...usedBy]) {
    const unread = world.unread?.get(keyOfName(holder));
    if (unread !== undefined) return unreadable(holder, unread);
  }
  const holders = usedBy.filter((holder) => world.children.has(keyOfName(holder)));
  const own = holders.find((holder) => reliesOnData(one, holder));
  if (own !== undefined) return lost(one, own, keys);
  const [other] = holders;
  return other === undefined ? keys : inTheWay(one.ref, other);
}

/** Reports whether all data is to be generated again, because the kind asks for it. */
export const isRotationDue = (
  { generated }: Child,
  observed: ObservedChild | undefined,
): boolean => {
  const { rotation = '' } = generated ?? {};
  return (
    rotation !== '' && observed !== undefined && observed.facts.rotation !== rotationText(rotation)
  );
};

/** The text as the annotation holds it, of bounded length. */
export const rotationText = (rotation: string): string => labelValue(rotation);

/** Objects to read by name before data may be generated: the Secret, then those that use it. */
export function unseenHolders(child: Child, world: World): readonly ReadTarget[] {
  if (missingKeys(child, world.children.get(keyOfName(child))).length === 0) return [];
  return [child, ...(child.generated?.usedBy ?? [])]
    .map((one) => ({ ...refOf(one), type: one.type }))
    .filter((ref) => !isKnown(world, ref));
}

const keyOfName = (name: ChildName): string => keyOf(refOf(name));

const missingKeys = (
  { generated }: Child,
  observed: ObservedChild | undefined,
): readonly string[] => {
  const present = (observed?.facts.keys ?? []) as readonly string[];
  return (generated?.keys ?? []).filter((key) => !present.includes(key));
};

/** Reports whether an object relies on the lost data: a claim, or a workload of a resource of this name. */
function reliesOnData({ world }: Case, holder: ChildName): boolean {
  const { kind, resource } = world;
  const ref = refOf(holder);
  const observed = world.children.get(keyOf(ref));
  if (observed === undefined || !kind.owns.some((type) => isOfType(ref, type))) return true;
  return isOwn(resource, observed) || isOrphan(world, observed);
}

function lost({ world, ref }: Case, holder: ChildName, keys: readonly string[]): Obstacle {
  const labels = Object.entries(childLabels(world))
    .map(([label, value]) => `${label}=${value}`)
    .join(', ');
  return {
    verb: 'block',
    reason: 'CredentialsLost',
    message: `${titleOf(ref)} has no ${keys.join(', ')}, and ${titleOfChild(holder)} still relies on it, so no new one is generated: restore the Secret with its ${keys.join(', ')} and the labels ${labels}; or, if the data is no longer needed, delete ${titleOfChild(holder)}`,
  };
}

const inTheWay = (ref: ObjectRef, holder: ChildName): Obstacle => ({
  verb: 'wait',
  reason: 'HeldByOther',
  message: `${titleOf(ref)} waits: ${titleOfChild(holder)} already exists and is not managed by this resource`,
});

const unreadable = (name: ChildName, { reason, message, transient }: FailedRequest): Obstacle => ({
  verb: transient ? 'wait' : 'block',
  reason,
  message: `${titleOfChild(name)} cannot be read: ${message}`,
});
