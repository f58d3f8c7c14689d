import type { JsonObject, KubeObject, ResourceType } from '../kubernetes.ts';
import type { Exposure } from './exposure.ts';
import type { JudgeImpact } from './impact.ts';
import type { Readiness } from './readiness.ts';

declare const body: unique symbol;
declare const read: unique symbol;

/**
 * A type that resources may own, with everything that is special about it. Its functions take live objects
 * of any shape and must not throw.
 */
export interface ChildType<
  Body extends object = object,
  Read extends object = object,
  Facts extends JsonObject = JsonObject,
> extends ResourceType {
  /**
   * Paths of quantities that may grow but not shrink. A live value that is larger than the wanted one is in order.
   */
  readonly growing?: readonly string[];
  /**
   * Reports whether a live object has reached the state that its spec describes. Default: ready once it
   * exists.
   */
  readonly readiness?: (live: KubeObject) => Readiness;
  /** Reports whether a live object has done what it was made for, such as a Job that is complete. */
  readonly complete?: (live: KubeObject) => boolean;
  /**
   * Reports whether a complete object with these fields is deleted by its controller. If it is gone after a
   * run has recorded that it was complete, it is made again only once its wanted fields change.
   */
  readonly expires?: (wanted: JsonObject) => boolean;
  /**
   * Extracts what a plan or a kind's status needs in addition to the wanted fields. Kept for every child,
   * so it must be small and hold no value of a Secret.
   */
  readonly facts?: (live: KubeObject) => Facts;
  /**
   * Judges how a change affects whatever depends on the object; only plans show it. Default: no impact
   * for a new object or for labels and annotations, otherwise `unknown`. Pure.
   */
  readonly impact?: JudgeImpact;
  /** Set if the type has the subresource `scale`. A kind defined here gives the paths of its fields. */
  readonly scale?: true | Scale;
  /**
   * Set if deleting an object also deletes what others have put into it, such as a Namespace. A run never
   * deletes one; it reports it once it is no longer wanted.
   */
  readonly retained?: true;
  /**
   * Set if its objects decide which requests are admitted. They are written in an order that fails
   * closed.
   */
  readonly exposure?: Exposure;
  /** Never set: it carries the type of `Child.body`. */
  readonly [body]?: Body;
  /** Never set: it carries the type that a kind receives when it reads such an object, if not the body. */
  readonly [read]?: Read;
}

/** Paths of the fields that the subresource `scale` reads and writes, such as `.spec.replicas`. */
export interface Scale {
  /** Path of an integer field. Give it a default: if it is absent, `kubectl scale` finds no replicas. */
  readonly specReplicasPath: string;
  /** Path of an integer field that `statusOf` returns. */
  readonly statusReplicasPath: string;
  /** Path of a string field with a label selector, by which an autoscaler finds the pods. */
  readonly labelSelectorPath?: string;
}
