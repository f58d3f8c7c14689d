import type { FieldError } from '../errors/field-error.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import type { NameRule } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Store } from '../storage/store.ts';
import type { Change } from '../storage/stored.ts';

/**
 * The node ports and cluster IPs in use, and the next free ones.
 *
 * Guarantees: exactly what stored Services hold is in use, whichever way they were stored.
 */
export interface ServiceAllocator {
  readonly nodePortHolder: (port: number) => string | undefined;
  readonly clusterIpHolder: (address: string) => string | undefined;
  readonly freeNodePort: (alsoTaken: ReadonlySet<number>) => number;
  readonly freeClusterIp: () => string;
  readonly onChange: (change: Change) => void;
}

/** What a strategy may look at beside the object. */
export interface WriteContext {
  readonly store: Store;
  readonly services: ServiceAllocator;
  readonly now: Date;
  readonly dryRun: boolean;
}

/**
 * What is specific to one kind, in the order of a write: `defaults`, then
 * `prepareForCreate` or `prepareForUpdate`, then `validate`. All but `validate` change the object given.
 */
export interface Strategy {
  readonly nameRule: NameRule;
  /** Fills in what decoding fills in; the writer's manager owns these when it creates by POST. */
  readonly defaults?: (object: KubeObject) => void;
  /** Allocates fields and drops what a writer may not set; the result has no owner. */
  readonly prepareForCreate?: (object: KubeObject, context: WriteContext) => void;
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => void;
  readonly validate?: (
    object: KubeObject,
    old: KubeObject | undefined,
    context: WriteContext,
  ) => readonly FieldError[];
  /** `validate` finds all that the server refuses; the schema serves to decode alone. */
  readonly replacesSchemaValidation?: true;
  /** Whether this update is a new generation; a kind without it has no generation at all. */
  readonly isNewGeneration?: (object: KubeObject, old: KubeObject) => boolean;
  /** PUT without resourceVersion overwrites whatever is there. */
  readonly allowUnconditionalUpdate: boolean;
  /** PUT and merge patches of an absent object create it. */
  readonly allowCreateOnUpdate?: boolean;
  /** Objects are deleted one by one; there is no DELETE of the collection. */
  readonly noDeleteCollection?: true;
  /** Throws for an object that may not be deleted. */
  readonly assertDeletable?: (name: string) => void;
  /** Finalizers that the first DELETE adds. */
  readonly deletionFinalizers?: readonly string[];
  /** A deletion that must wait sets the time alone: no grace period, no new generation. */
  readonly noGracePeriod?: true;
  /** Adjusts an object that is being deleted. */
  readonly prepareForDelete?: (object: KubeObject, now: Date) => void;
  /** Whether something other than metadata.finalizers keeps a deleted object. */
  readonly hasOtherFinalizers?: (object: KubeObject) => boolean;
  readonly selectableFields?: (object: KubeObject) => Record<string, string>;
  /** A new object keeps the status that its writer gave it. */
  readonly keepsStatus?: true;
  /** A DELETE that names no propagation policy leaves the dependents. */
  readonly orphansDependents?: true;
  /** What such a DELETE is warned of. */
  readonly orphanWarning?: string;
  /** DELETE answers with the object, not with a Status. */
  readonly returnDeletedObject?: boolean;
  /** What a write to the status subresource cannot change, when that is not the spec alone. */
  readonly statusResetFields?: readonly (readonly string[])[];
}

/** A new generation is a change of the spec. */
export function specChanged(object: KubeObject, old: KubeObject): boolean {
  return !isSemanticallyEqual(object.spec, old.spec);
}

/** Deployments copy their annotations to what they make, so these count too. */
export function specOrAnnotationsChanged(object: KubeObject, old: KubeObject): boolean {
  return (
    specChanged(object, old) ||
    !isSemanticallyEqual(object.metadata.annotations, old.metadata.annotations)
  );
}
