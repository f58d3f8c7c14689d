import type { JsonObject, KubeObject, ResourceType } from '../kubernetes.ts';
import type { Exposure } from './exposure.ts';
import type { JudgeImpact } from './impact.ts';
import type { Readiness } from './readiness.ts';

declare const body: unique symbol;
declare const read: unique symbol;

/**
 * A type that resources may own, with everything that is special about it. Its functions take live
 * objects, which may have any shape, and must not throw.
 */
export interface ChildType<Body extends object = object, Read extends object = object>
  extends ResourceType {
  /**
   * Field paths that the API server refuses to change, of a live object; a final `.` means all fields
   * below, each by itself. Their values are kept for every child.
   */
  readonly immutable?: readonly string[] | ((live: KubeObject) => readonly string[]);
  /** Paths of quantities (`1Gi`), which are compared by value; a final `.` means all fields below. */
  readonly quantities?: readonly string[];
  /** Whether a live object has reached the state that its spec describes; default: once it exists. */
  readonly readiness?: (live: KubeObject) => Readiness;
  /**
   * What a plan or a kind's status may depend on besides the wanted fields. Kept for every child, so
   * it must be small, and must hold no value of a Secret.
   */
  readonly facts?: (live: KubeObject) => JsonObject;
  /**
   * What a change of an object does to what depends on it. Shown in plans, and changes nothing else.
   * Default: nothing for a new object or other labels and annotations, else `unknown`. Pure.
   */
  readonly impact?: JudgeImpact;
  /** Has the subresource `scale`; for a kind of our own, where its values are. */
  readonly scale?: true | Scale;
  /**
   * Set if deleting an object deletes what others have put into it: a run never deletes one, but reports
   * it once it is no longer wanted.
   */
  readonly retained?: true;
  /** Set if its objects decide which requests are admitted: they are written in an order that fails closed. */
  readonly exposure?: Exposure;
  /** Never set: it carries the type of `Child.body`. */
  readonly [body]?: Body;
  /** Never set: what a kind that reads an object of the type receives, if not its body. */
  readonly [read]?: Read;
}

/** The fields that the subresource `scale` reads and writes, as `.spec.replicas`. */
export interface Scale {
  /** Of an integer; with a default, or `kubectl scale` finds no replicas where the field is absent. */
  readonly specReplicasPath: string;
  /** Of an integer that `statusOf` returns. */
  readonly statusReplicasPath: string;
  /** Of a label selector as text, by which an autoscaler finds the pods. */
  readonly labelSelectorPath?: string;
}
