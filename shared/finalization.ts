import type { Identity } from './identity.ts';
import { present } from './json.ts';
import type { JsonObject, ObjectMeta, ResourceType } from './kubernetes.ts';

/** The parts of a resource's metadata that concern its deletion. */
export interface Finalization {
  /** The deletionTimestamp, in RFC 3339. */
  readonly deletedAt?: string;
  /** Indexes of our finalizer in `metadata.finalizers`, which may list it twice; undefined if it is not there. */
  readonly finalizers?: readonly number[];
  /** True if `metadata.finalizers` also has finalizers that are not ours. */
  readonly isHeldByOthers?: true;
  /** True during a deletion with `--cascade=orphan`, while the garbage collector removes the owner references. */
  readonly orphans?: true;
}

/** The name of our finalizer. */
export const finalizerOf = ({ group }: Pick<ResourceType, 'group'>, { name }: Identity): string =>
  `${group}/${name}`;

/** The garbage collector's finalizer for a deletion with `--cascade=orphan`. */
const orphan = 'orphan';

export function finalizationOf(
  kind: Pick<ResourceType, 'group'>,
  { deletionTimestamp: deletedAt, finalizers: all = [] }: ObjectMeta,
  identity: Identity,
): Finalization {
  const own = finalizerOf(kind, identity);
  const found = all.flatMap((one, at) => (one === own ? [at] : []));
  return {
    ...present({ deletedAt }),
    ...(found.length > 0 ? { finalizers: found } : {}),
    ...(all.length > found.length ? { isHeldByOthers: true } : {}),
    ...(all.includes(orphan) ? { orphans: true } : {}),
  };
}

/** JSON patch that removes our finalizers, the last first, so that indexes stay valid. */
export const releaseOf = ({ finalizers = [] }: Finalization): readonly JsonObject[] =>
  finalizers.toReversed().map((at) => ({ op: 'remove', path: `/metadata/finalizers/${at}` }));

/**
 * Reports whether a run leaves the resource alone, for example while it is suspended. A suspended resource is
 * still cleaned up once it is deleted.
 */
export const isIdle = ({
  deleting,
  suspended,
  finalizers,
}: Finalization & { readonly deleting: boolean; readonly suspended: boolean }): boolean =>
  deleting ? finalizers === undefined : suspended;

/** Reports whether the clean-up of a deleted resource has taken longer than its kind allows. */
export const isOverdue = (
  { finalizeSeconds }: { readonly finalizeSeconds: number },
  { deletedAt }: Finalization,
  now: number | undefined,
): boolean =>
  deletedAt !== undefined &&
  now !== undefined &&
  now - Date.parse(deletedAt) > finalizeSeconds * 1000;
