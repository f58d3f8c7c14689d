import { type JsonObject, titleOf } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';
import type { Generator } from './references/generated-data.ts';
import type { SecretValue, Template } from './references/template.ts';

/**
 * A child as a kind wants it. The engine adds its own labels, the owner reference and, for a namespaced resource,
 * the namespace.
 */
export interface Child {
  readonly type: ChildType;
  readonly name: string;
  /**
   * Required if the child is namespaced and its resource cluster-scoped, otherwise forbidden. If the resource
   * also wants that Namespace, the child waits for it.
   */
  readonly namespace?: string;
  /** Labels in addition to those of the engine. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Without apiVersion, kind and metadata. Set the protocol of each port, and encode Secret data in base64. */
  readonly body: JsonObject;
  /** Paths of fields whose live value stays when the kind stops setting them, such as `spec.replicas`. */
  readonly handsOver?: readonly string[];
  /**
   * Children that must be written before this child. If such a child is a step, it must also be complete; with
   * `until: 'ready'` it must be ready. A repair that only restores the last applied fields does not wait.
   */
  readonly needs?: readonly Need[];
  /**
   * Makes a Job a step, for example a database migration: children that need it wait until it is complete, and the
   * resource is not Ready before. `once`: a completed step never runs again for the same fields. `each-time`: it runs
   * again if other fields were desired in between. The Job of a completed step is deleted an hour later. A Job's
   * fields cannot be changed, so derive its name from them.
   */
  readonly step?: 'once' | 'each-time';
  /**
   * The child's target, such as the Deployment of an autoscaler or the Service behind an Ingress. The child
   * is written only while the resource owns the target, and is deleted once another owner has it.
   */
  readonly actsOn?: ChildName;
  /** Secret data that is generated once. Its values are neither in `body` nor in any plan. */
  readonly generated?: Generated;
  /**
   * Secret data built from values of other Secrets, by key. The kind must read these Secrets, in the child's
   * namespace or with `from: 'granted'`. While a value is missing, the child stays as it is.
   */
  readonly templates?: Readonly<Record<string, Template | SecretValue>>;
  /**
   * What to do if an object of this name exists without a controller. `fail`, the default, reports
   * `ErrResourceExists`. `adopt-if-unowned` adopts the object if it has the three labels that the engine gives this
   * child.
   */
  readonly onCollision?: 'fail' | 'adopt-if-unowned';
  /** Paths of fields in `body` that are set when the child is created, and left to others afterwards. */
  readonly initial?: readonly string[];
  /**
   * Recreates the child if an immutable field differs: after a dry run of the create, the run deletes the
   * child and creates it again. Default: the child stays, and `ImmutableFieldChanged` is reported. Types that
   * may hold data need `even-with-data`.
   */
  readonly recreate?: true | 'even-with-data';
  /**
   * Why the child must not be written, although it is desired. With `transient`, the obstacle will disappear by
   * itself, so the resource is Reconciling, not Stalled.
   */
  readonly blocked?: Blocked;
  /** Set by `gone`: the object must not exist. */
  readonly gone?: true;
}

type Blocked = {
  readonly reason: string;
  readonly message: string;
  readonly transient?: boolean;
};

/** Builds a child, whose body has the TypeScript type of its child type. */
export const child = <Body extends object>(
  type: ChildType<Body>,
  desired: Omit<Child, 'type' | 'body'> & { readonly body: NoInfer<Body> },
): Child => ({ type, ...desired, body: desired.body as JsonObject });

/**
 * Builds a child for `finalize` that must be deleted before its resource is. An object that the resource does
 * not own counts as gone.
 */
export const gone = (
  type: ChildType,
  desired: Omit<ChildName, 'type'> & Pick<Child, 'needs'>,
): Child => ({
  type,
  ...desired,
  body: {},
  gone: true,
});

/** Identifies an object of the same resource by type and name. */
export interface ChildName {
  readonly type: ChildType;
  readonly name: string;
  readonly namespace?: string;
}

/** A child that another child needs. */
export interface Need extends ChildName {
  /** `applied`, the default: no change is left to write. `ready`: it is also ready, by the rules of its type. */
  readonly until?: 'applied' | 'ready';
}

export const titleOfChild = ({ type, namespace, name }: ChildName): string =>
  titleOf({ kind: type.kind, namespace, name });

/**
 * Secret data that is generated once; a certificate is generated again before it expires.
 *
 * Guarantees: a value is generated only if the Secret lacks it and no object in `usedBy` exists; these objects are read after the Secret, and created after it. Only `rotation` replaces a value; a value that was changed by hand stays.
 *
 * Caveats: a run does not notice if an object in `usedBy` is created and the Secret deleted just before its write.
 */
export interface Generated extends Generator {
  /** Keys of the Secret's data, with 32 random characters each. Set one of `keys`, `keyPair` and `certificate`. */
  readonly keys?: readonly string[] | undefined;
  /** Objects that use the values. While such an object exists, lost values must be restored by hand. */
  readonly usedBy: readonly ChildName[];
  /**
   * Any text, for example from the spec. When it is first set, and whenever it changes, all values are generated
   * again, even if objects in `usedBy` exist.
   */
  readonly rotation?: string | undefined;
}
