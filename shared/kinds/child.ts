import { present } from '../json.ts';
import { type JsonObject, titleOf } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';
import { secret } from './child-types/core.ts';
import type { Generator } from './references/generated-data.ts';
import type { SecretValue, Template } from './references/template.ts';

/** A desired child. The engine adds its own labels, the owner reference and the resource's namespace, if any. */
export interface Child {
  readonly type: ChildType;
  readonly name: string;
  /**
   * Required for a namespaced child of a cluster-scoped resource, otherwise forbidden. If the Namespace is a child of
   * the resource too, this child waits for it.
   */
  readonly namespace?: string;
  /** Labels in addition to the engine's labels. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The manifest without apiVersion, kind and metadata. Set each port's protocol. Encode Secret data in base64. */
  readonly body: JsonObject;
  /** Fields that keep their live value when the kind stops setting them. Paths as in plans: `spec.replicas`. */
  readonly handsOver?: readonly string[];
  /**
   * Children that must be written before this child. A needed step must also be complete, and a needed child with
   * `until: 'ready'` must also be ready. But a repair that only restores the last applied fields waits for neither
   * completion nor readiness.
   */
  readonly needs?: readonly Need[];
  /**
   * Makes a Job a step, such as a database migration: the resource is not Ready, and children that need the step wait,
   * until the Job is complete. A Job's fields cannot change, so derive its name from them. If the desired fields are A,
   * then B, then A again, a step `once` runs twice (a resource remembers 32 former completions), and a step `each-time`
   * three times.
   */
  readonly step?: 'once' | 'each-time';
  /**
   * The child's target, such as the Deployment of an autoscaler or the Service of an Ingress. The child is
   * written only while the resource owns the target, and is deleted once the target is foreign.
   */
  readonly actsOn?: ChildName;
  /** Secret data that is generated once. `body` and plans never contain the values. */
  readonly generated?: Generated;
  /**
   * Secret data built from values of other Secrets, by key. The kind must read these Secrets, in the child's
   * namespace or with `from: 'granted'`. While a value is missing, the child is not written.
   */
  readonly templates?: Readonly<Record<string, Template | SecretValue>>;
  /**
   * Decides about an existing object of this name that has no controller. `fail`, the default, reports
   * `ErrResourceExists`. `adopt-if-unowned` adopts an object with the three labels that the engine gives this child.
   */
  readonly onCollision?: 'fail' | 'adopt-if-unowned';
  /**
   * Paths of fields in `body`, as plans print them: `spec.template.spec.containers[name="web"].image`. These fields are
   * set when the child or the list item is created, and left to others afterwards.
   */
  readonly initial?: readonly string[];
  /**
   * Deletes the child and creates it again if an immutable field differs and a dry run of the create succeeds. By
   * default the child stays, and `ImmutableFieldChanged` is reported. Types that may hold data need `even-with-data`.
   */
  readonly recreate?: true | 'even-with-data';
  /**
   * Why the desired child must not be written. Set `transient` if the obstacle disappears by itself, so that
   * meanwhile the resource is Reconciling, not Stalled.
   */
  readonly blocked?: Blocked;
  /** Set by `gone` and `kept`: what happens to the object before its resource is removed. */
  readonly ends?: 'gone' | 'kept';
}

type Blocked = {
  readonly reason: string;
  readonly message: string;
  readonly transient?: boolean;
};

/** Builds a child. TypeScript checks the body against the child type. */
export const child = <Body extends object>(
  type: ChildType<Body>,
  desired: Omit<Child, 'type' | 'body'> & { readonly body: NoInfer<Body> },
): Child => ({ type, ...desired, body: desired.body as JsonObject });

/** Declares, for `finalize`, a child that must be gone before its resource. A foreign object counts as gone. */
export const gone = (
  type: ChildType,
  desired: Omit<ChildName, 'type'> & Pick<Child, 'needs'>,
): Child => ({ type, ...desired, body: {}, ends: 'gone' });

/** Declares, for `finalize`, a child to keep: the child loses its owner reference before its resource is removed. */
export const kept = (type: ChildType, desired: Omit<ChildName, 'type'>): Child => ({
  type,
  ...desired,
  body: {},
  ends: 'kept',
});

/** Identifies a child of the resource, or an object that belongs to it, such as a claim of its StatefulSet. */
export interface ChildName {
  readonly type: ChildType;
  readonly name: string;
  readonly namespace?: string;
}

/** A child that another child needs. */
export interface Need extends ChildName {
  /**
   * `applied`, the default: the needed child has its desired state. `ready`: it is also ready, by its type's rules.
   * `complete`: it is a complete step. A needed step must always be complete, whatever `until` is.
   */
  readonly until?: 'applied' | 'ready' | 'complete';
}

/** Returns the Secret of the child's certificate authority. */
export function issuerOf({ generated, namespace }: Child): ChildName | undefined {
  const name = generated?.certificate?.issuer;
  return name === undefined ? undefined : { type: secret, name, ...present({ namespace }) };
}

export const titleOfChild = ({ type, namespace, name }: ChildName): string =>
  titleOf({ kind: type.kind, namespace, name });

/**
 * Secret data that is generated once. A certificate is generated again before it expires.
 *
 * Guarantees: a missing value is generated only if no object in `usedBy` exists. These objects are read after
 * the Secret, and created after it. An existing value, even one changed by hand, is replaced only if
 *
 * - `rotation` changes;
 * - another part of its key pair or certificate is missing; or
 * - it belongs to a certificate whose fields or authority change, or whose renewal is due.
 *
 * Caveats: a run does not notice if, just before its write, an object in `usedBy` is created and the Secret deleted.
 */
export interface Generated extends Generator {
  /** Keys of the Secret's data. Each value has 32 random characters. Set one of `keys`, `keyPair` and `certificate`. */
  readonly keys?: readonly string[] | undefined;
  /** Objects that use the values. While such an object exists, lost values must be restored by hand. */
  readonly usedBy: readonly ChildName[];
  /**
   * Any string. Setting or changing it generates all values of an existing Secret again, even if objects in `usedBy`
   * exist. While the Secret is gone and such objects exist, `rotation` has no effect.
   */
  readonly rotation?: string | undefined;
}
