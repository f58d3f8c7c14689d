import type { FieldError } from '../errors/field-error.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import type { NameRule } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Store } from '../storage/store.ts';
import type { Change } from '../storage/stored.ts';

/**
 * The node ports and cluster IPs in use, and the next free port and IP.
 *
 * Guarantees: a port or address is in use exactly if a stored Service has it, however that was stored.
 */
export interface ServiceAllocator {
  readonly nodePortHolder: (port: number) => string | undefined;
  readonly clusterIpHolder: (address: string) => string | undefined;
  readonly freeNodePort: (alsoTaken: ReadonlySet<number>) => number;
  readonly freeClusterIp: () => string;
  readonly onChange: (change: Change) => void;
}

/** The context in which a strategy works. */
export interface WriteContext {
  readonly store: Store;
  readonly services: ServiceAllocator;
  readonly now: Date;
  readonly dryRun: boolean;
}

/**
 * The behaviour of one kind, in the order of a write: `defaults`, then `prepareForCreate` or
 * `prepareForUpdate`, then `validate`. All except `validate` modify the object.
 */
export interface Strategy {
  readonly nameRule: NameRule;
  /** Adds the defaults of decoding; in a POST, they belong to the writer's manager. */
  readonly defaults?: (object: KubeObject) => void;
  /** Allocates fields and removes fields that a writer may not set; the result has no owner. */
  readonly prepareForCreate?: (object: KubeObject, context: WriteContext) => void;
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => void;
  readonly validate?: (
    object: KubeObject,
    old: KubeObject | undefined,
    context: WriteContext,
  ) => readonly FieldError[];
  /** `validate` finds everything that the server refuses; the schema is used only to decode. */
  readonly replacesSchemaValidation?: true;
  /** Reports whether this update increments the generation; without this function, the kind has no generation. */
  readonly isNewGeneration?: (object: KubeObject, old: KubeObject) => boolean;
  /** A PUT without resourceVersion overwrites the object. */
  readonly allowUnconditionalUpdate: boolean;
  /** A PUT or merge patch of an absent object creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** Objects are deleted only one by one; the collection has no DELETE. */
  readonly noDeleteCollection?: true;
  /** Throws if the object must not be deleted. */
  readonly assertDeletable?: (name: string) => void;
  /** Finalizers that the first DELETE adds. */
  readonly deletionFinalizers?: readonly string[];
  /** A deletion that has to wait sets only the time: no grace period, no new generation. */
  readonly noGracePeriod?: true;
  /** Adjusts an object that is being deleted. */
  readonly prepareForDelete?: (object: KubeObject, now: Date) => void;
  /** Reports whether anything besides metadata.finalizers keeps a deleted object. */
  readonly hasOtherFinalizers?: (object: KubeObject) => boolean;
  readonly selectableFields?: (object: KubeObject) => Record<string, string>;
  /** A new object keeps the status that its writer sent. */
  readonly keepsStatus?: true;
  /** A DELETE without a propagation policy orphans the dependents. */
  readonly orphansDependents?: true;
  /** The warning about such a DELETE. */
  readonly orphanWarning?: string;
  /** DELETE answers with the object, not with a Status. */
  readonly returnDeletedObject?: boolean;
  /** The paths that a write to the status subresource cannot change; default: the spec. */
  readonly statusResetFields?: readonly (readonly string[])[];
}

/** Increments the generation with each change of the spec. */
export function specChanged(object: KubeObject, old: KubeObject): boolean {
  return !isSemanticallyEqual(object.spec, old.spec);
}

/** Reports whether the spec or the annotations changed: Deployments copy these to their ReplicaSets. */
export function specOrAnnotationsChanged(object: KubeObject, old: KubeObject): boolean {
  return (
    specChanged(object, old) ||
    !isSemanticallyEqual(object.metadata.annotations, old.metadata.annotations)
  );
}
