import { type JsonObject, titleOf } from '../kubernetes.ts';
import type { ChildType } from './child-type.ts';

/** One child as a kind wants it; the engine adds its own labels, the owner and a resource's namespace. */
export interface Child {
  readonly type: ChildType;
  readonly name: string;
  /**
   * Of a namespaced child of a cluster-scoped resource, which must have one; no other child has. If the
   * resource wants that Namespace too, the child waits for it.
   */
  readonly namespace?: string;
  /** Besides the labels of the engine. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Everything except apiVersion, kind and metadata. Ports need a protocol, Secret data is base64. */
  readonly body: JsonObject;
  /** Paths of fields that keep their live value when they are no longer wanted. */
  readonly handsOver?: readonly string[];
  /** Other children of the resource: this one is written only once they are up to date. */
  readonly needs?: readonly ChildName[];
  /**
   * Its target: the Deployment of an autoscaler, the Service behind an Ingress. The child is written
   * only while the resource owns the target, and deleted once the target is foreign.
   */
  readonly actsOn?: ChildName;
  /** Secret data that is generated once. Its values are neither in `body` nor in any plan. */
  readonly generated?: Generated;
  /**
   * What to do about an object of this name that has no controller; default: `fail`, which reports
   * `ErrResourceExists`. It is adopted only if it has the three labels that the engine gives this child.
   */
  readonly onCollision?: 'fail' | 'adopt-if-unowned';
  /**
   * Set if the child is wanted but must not be written, with the reason. With `transient` the resource is
   * Reconciling, not Stalled: what is missing will appear by itself.
   */
  readonly blocked?: Blocked;
}

type Blocked = {
  readonly reason: string;
  readonly message: string;
  readonly transient?: boolean;
};

/** A child, with its body as its type has it. */
export const child = <Body extends object>(
  type: ChildType<Body>,
  wanted: Omit<Child, 'type' | 'body'> & { readonly body: NoInfer<Body> },
): Child => ({ type, ...wanted, body: wanted.body as JsonObject });

/** Another object of the resource, named as a child is. */
export interface ChildName {
  readonly type: ChildType;
  readonly name: string;
  readonly namespace?: string;
}

export const titleOfChild = ({ type, namespace, name }: ChildName): string =>
  titleOf({ kind: type.kind, namespace, name });

/**
 * Guarantees: a value is generated only if the Secret lacks it and nothing in `usedBy` exists, read by
 * name after the Secret was found to lack it. It is never changed or restored afterwards.
 * Caveats: if something in `usedBy` is created and the Secret deleted in the instant before the write,
 * that is not noticed.
 */
export interface Generated {
  /** Keys of the Secret's data. Each value has 32 random characters. */
  readonly keys: readonly string[];
  /** Objects that use the values: while one exists, lost values must be restored by hand. */
  readonly usedBy: readonly ChildName[];
}
