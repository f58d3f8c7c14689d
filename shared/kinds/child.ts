import { type JsonObject, titleOf } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';
import type { Generator } from './references/generated-data.ts';
import type { SecretValue, Template } from './references/template.ts';

/**
 * One child as a kind wants it. The engine adds its own labels, the owner reference and, for a namespaced
 * resource, the namespace.
 */
export interface Child {
  readonly type: ChildType;
  readonly name: string;
  /**
   * Required for a namespaced child of a cluster-scoped resource, forbidden for any other child. If the
   * resource also wants that Namespace, the child waits for it.
   */
  readonly namespace?: string;
  /** Labels in addition to those of the engine. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Everything except apiVersion, kind and metadata. Ports need a protocol, Secret data is base64. */
  readonly body: JsonObject;
  /** Paths of fields that keep their live value when they are no longer wanted. */
  readonly handsOver?: readonly string[];
  /**
   * Other children of the resource that must be up to date before this one is written. A needed step must also
   * be complete, and a child with `until: 'ready'` ready, unless this child was last applied with the same
   * fields: its repair waits for neither.
   */
  readonly needs?: readonly Need[];
  /**
   * Makes the child a step, for example a Job that migrates a database: the children that need it wait until it
   * is complete, and the resource is Ready only then. `once`: a completed step is not run again for the same
   * fields, even if it was deleted or other fields were wanted meanwhile. `each-time`: it is run again whenever
   * it is missing; with `ttlSecondsAfterFinished` it behaves like `once`. A Job's fields cannot be changed, so
   * its name has to change with them.
   */
  readonly step?: 'once' | 'each-time';
  /**
   * The child's target, such as the Deployment of an autoscaler or the Service behind an Ingress. The
   * child is written only while the resource owns the target, and deleted once the target is foreign.
   */
  readonly actsOn?: ChildName;
  /** Secret data that is generated once. Its values are neither in `body` nor in any plan. */
  readonly generated?: Generated;
  /**
   * Data of a Secret that is made of other Secrets, by key. The kind has to read them, in the child's
   * namespace or with `from: 'granted'`. While a value is missing, the child stays as it is.
   */
  readonly templates?: Readonly<Record<string, Template | SecretValue>>;
  /**
   * Decides about an existing object of this name without a controller. `fail`, the default, reports
   * `ErrResourceExists`. `adopt-if-unowned` adopts it if it has the three labels that the engine gives
   * this child.
   */
  readonly onCollision?: 'fail' | 'adopt-if-unowned';
  /** Paths of fields in `body` that are set when the child is created, and left to others afterwards. */
  readonly initial?: readonly string[];
  /**
   * Recreates the child if a field differs that the API server does not allow to be changed: it is deleted
   * and created again in the same run, once a dry run has shown that it can be created. Default: it is left
   * as it is, and `ImmutableFieldChanged` is reported. Types that may hold data need `even-with-data`.
   */
  readonly recreate?: true | 'even-with-data';
  /**
   * Set if the child is wanted but must not be written, with the reason. With `transient` the resource is
   * Reconciling, not Stalled, because the obstacle will disappear by itself.
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

/** Builds a child and types its body by the child type. */
export const child = <Body extends object>(
  type: ChildType<Body>,
  wanted: Omit<Child, 'type' | 'body'> & { readonly body: NoInfer<Body> },
): Child => ({ type, ...wanted, body: wanted.body as JsonObject });

/**
 * A child that `finalize` returns to have it deleted, and gone, before its resource goes. An object that the
 * resource does not own counts as gone.
 */
export const gone = (
  type: ChildType,
  wanted: Omit<ChildName, 'type'> & Pick<Child, 'needs'>,
): Child => ({
  type,
  ...wanted,
  body: {},
  gone: true,
});

/** Identifies an object of the resource by type and name. */
export interface ChildName {
  readonly type: ChildType;
  readonly name: string;
  readonly namespace?: string;
}

/** Another child that this one needs. */
export interface Need extends ChildName {
  /** `applied`, the default: it is as wanted. `ready`: it is also ready, by the rules of its type. */
  readonly until?: 'applied' | 'ready';
}

export const titleOfChild = ({ type, namespace, name }: ChildName): string =>
  titleOf({ kind: type.kind, namespace, name });

/**
 * Secret data that is generated once; a certificate again before it expires.
 *
 * Guarantees: a value is generated only if the Secret lacks it and nothing in `usedBy` exists. `usedBy` is
 * read by name after the Secret was found to lack the value. Only `rotation` changes a value afterwards; none
 * is restored.
 * Caveats: a run does not notice if, in the instant before the write, something in `usedBy` is created and
 * the Secret is deleted.
 */
export interface Generated extends Generator {
  /** Keys of the Secret's data. Each value has 32 random characters. One of `keys`, `keyPair` and `certificate` is set. */
  readonly keys?: readonly string[] | undefined;
  /** Objects that use the values. While one exists, lost values must be restored by hand. */
  readonly usedBy: readonly ChildName[];
  /**
   * A text, for example from the spec: whenever it changes, and when it is first set, all values are generated
   * again, whatever uses them.
   */
  readonly rotation?: string | undefined;
}
