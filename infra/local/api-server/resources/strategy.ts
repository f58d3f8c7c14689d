import type { FieldError } from '../errors/errors.ts';
import type { NameRule } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Store } from '../storage/store.ts';
import type { ServiceAllocator } from './service-allocator.ts';

/** What a strategy may look at beside the object. */
export interface WriteContext {
  readonly store: Store;
  readonly services: ServiceAllocator;
  readonly now: Date;
  readonly dryRun: boolean;
}

/**
 * What is special about one kind, in the order it is asked on a write: `defaults`, then
 * `prepareCreate` or `prepareUpdate`, then `validate`. All but `validate` change the object given.
 */
export interface Strategy {
  readonly nameRule: NameRule;
  /** Fills in what decoding fills in; the writer's manager owns these when it creates by POST. */
  readonly defaults?: (object: KubeObject) => void;
  /** Allocates and drops what a writer may not set; nobody owns the result. */
  readonly prepareCreate?: (object: KubeObject, context: WriteContext) => void;
  readonly prepareUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => void;
  readonly validate?: (
    object: KubeObject,
    old: KubeObject | undefined,
    context: WriteContext,
  ) => readonly FieldError[];
  /** `validate` finds all that the server refuses; the schema serves to decode alone. */
  readonly judgesAlone?: true;
  /** Whether this update is a new generation; a kind without it has no generation at all. */
  readonly isNewGeneration?: (object: KubeObject, old: KubeObject) => boolean;
  /** PUT without resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** PUT and merge patches of an absent object create it. */
  readonly createOnUpdate?: boolean;
  /** Objects are deleted one by one; there is no DELETE of the collection. */
  readonly oneByOne?: true;
  /** Throws for an object that may not be deleted. */
  readonly assertDeletable?: (name: string) => void;
  /** Finalizers that the first DELETE adds. */
  readonly deletionFinalizers?: readonly string[];
  /** A deletion that must wait sets the time alone: no grace period, no new generation. */
  readonly marksItself?: true;
  /** Marks what is special about an object on its way out. */
  readonly prepareDelete?: (object: KubeObject, now: Date) => void;
  /** Whether something beside metadata.finalizers keeps a deleted object. */
  readonly staysUntilFinalized?: (object: KubeObject) => boolean;
  readonly selectableFields?: (object: KubeObject) => Record<string, string>;
  /** DELETE answers with the object, not with a Status. */
  readonly returnsDeleted?: boolean;
  /** What a write to the status subresource cannot change, when that is not the spec alone. */
  readonly statusResets?: readonly (readonly string[])[];
}
