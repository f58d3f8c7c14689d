import type { Identity } from './identity.ts';
import { present } from './json.ts';
import type { JsonObject, ObjectMeta, ResourceType } from './kubernetes.ts';

export interface Finalization {
  readonly deletedAt?: string;
  /** Indexes of our finalizer in `metadata.finalizers`, which may list it twice. */
  readonly finalizers?: readonly number[];
  readonly otherFinalizers?: readonly string[];
  /** Set while the garbage collector removes owner references after a deletion with `--cascade=orphan`. */
  readonly orphans?: true;
}

export const finalizerOf = ({ group }: Pick<ResourceType, 'group'>, { name }: Identity): string =>
  `${group}/${name}`;

export function finalizationOf(
  kind: Pick<ResourceType, 'group'>,
  { deletionTimestamp: deletedAt, finalizers: all = [] }: ObjectMeta,
  identity: Identity,
): Finalization {
  const own = finalizerOf(kind, identity);
  const indexes = all.flatMap((name, at) => (name === own ? [at] : []));
  const others = all.filter((name) => name !== own);
  return {
    ...present({ deletedAt }),
    ...(indexes.length > 0 ? { finalizers: indexes } : {}),
    ...(others.length > 0 ? { otherFinalizers: others } : {}),
    ...(all.includes('orphan') ? { orphans: true } : {}),
  };
}

/** Returns a patch that removes our finalizers, the last one first, because a removal changes later indexes. */
export const releaseOf = ({ finalizers = [] }: Finalization): readonly JsonObject[] =>
  finalizers.toReversed().map((at) => ({ op: 'remove', path: `/metadata/finalizers/${at}` }));

export const isIdle = (one: Finalization & Record<'deleting' | 'suspended', boolean>): boolean =>
  one.deleting ? one.finalizers === undefined : one.suspended;
