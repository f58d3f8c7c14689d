import type { JsonObject, KubeObject, ResourceType } from '../kubernetes.ts';
import type { Exposure } from './exposure.ts';
import type { JudgeImpact } from './impact.ts';
import type { Readiness } from './readiness.ts';

declare const body: unique symbol;
declare const read: unique symbol;

/**
 * A type that resources may own, and how the engine treats its objects. The functions receive live objects of
 * any shape and must not throw.
 */
export interface ChildType<
  Body extends object = object,
  Read extends object = object,
  Facts extends JsonObject = JsonObject,
> extends ResourceType {
  /** Paths of quantities that cannot shrink, such as a claim's storage. A larger live value is no drift. */
  readonly growing?: readonly string[];
  /** Judges whether a live object is ready. Default: it is ready once it exists. */
  readonly readiness?: (live: KubeObject) => Readiness;
  /** Reports whether a live object has finished, such as a Job that is complete. */
  readonly complete?: (live: KubeObject) => boolean;
  /**
   * Reports whether a controller deletes such an object after its completion, such as a Job with
   * `ttlSecondsAfterFinished`. Once a run has recorded the completion, the object is created again only if its
   * desired fields change.
   */
  readonly expires?: (desired: JsonObject) => boolean;
  /**
   * Extracts facts from a live object, for plans and for `statusOf` and `conditionsOf` of a kind. They are kept in
   * memory for every child, so they must be small and contain no value of a Secret.
   */
  readonly facts?: (live: KubeObject) => Facts;
  /**
   * Judges how a change affects whatever depends on the object, for plans and rollouts. Default: no impact for a
   * new object or for labels and annotations, otherwise `unknown`. Pure.
   */
  readonly impact?: JudgeImpact;
  /** Set if the type has the subresource `scale`: `true` for a built-in type, otherwise the paths of its fields. */
  readonly scale?: true | Scale;
  /**
   * Set if deleting an object also deletes other people's objects, as with a Namespace. A run never deletes such an
   * object; it only reports that the object is no longer desired.
   */
  readonly retained?: true;
  /** Set if its objects decide which requests are admitted (Ingress). They are written in an order that fails closed. */
  readonly exposure?: Exposure;
  /** Never set: it only carries the type of `Child.body`. */
  readonly [body]?: Body;
  /** Never set: it only carries the type of an object in `reads`, if that differs from the body. */
  readonly [read]?: Read;
}

/** Paths of the fields that the subresource `scale` reads and writes, such as `.spec.replicas`. */
export interface Scale {
  /** Path of an integer field. Give it a default: if it is absent, `kubectl scale` finds no replicas. */
  readonly specReplicasPath: string;
  /** Path of an integer field of the status, which `statusOf` returns. */
  readonly statusReplicasPath: string;
  /** Path of a string field that contains a label selector, by which an autoscaler finds the pods. */
  readonly labelSelectorPath?: string;
}

/** Declares a type whose objects need no special treatment. */
export const plain = <Body extends object>(
  kind: string,
  plural: string,
  api: Pick<ResourceType, 'group' | 'version' | 'scope'>,
): ChildType<Body> => ({ kind, plural, ...api });
