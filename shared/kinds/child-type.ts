import {
  isOfType,
  type JsonObject,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
} from '../kubernetes.ts';
import type { JudgeImpact } from './impact.ts';
import type { Readiness } from './readiness.ts';

declare const body: unique symbol;
declare const read: unique symbol;

/**
 * A type that resources may own or read, and how the engine treats its objects. Its functions must not throw,
 * whatever the shape of a live object.
 */
export interface ChildType<
  Body extends object = object,
  Read extends object = object,
  Facts extends JsonObject = JsonObject,
> extends ResourceType {
  /** Paths of quantities that cannot shrink, such as a claim's storage. A larger live value is not drift. */
  readonly growing?: readonly string[];
  /** Judges whether a live object is ready. Default: it is ready once it exists. */
  readonly readiness?: (live: KubeObject) => Readiness;
  /** Reports whether a live object is complete, such as a Job that has succeeded. */
  readonly complete?: (live: KubeObject) => boolean;
  /**
   * Reports whether a controller deletes an object once it has finished, such as a Job with `ttlSecondsAfterFinished`.
   * If a run has seen such an object complete, the object is created again only after its desired fields change.
   */
  readonly expires?: (desired: JsonObject) => boolean;
  /**
   * Extracts facts from a live object, for plans and for `statusOf` and `conditionsOf` of a kind. Facts of all children
   * are in memory at once, so keep them small. They must not contain values of Secrets.
   */
  readonly facts?: (live: KubeObject) => Facts;
  /**
   * Judges how a change affects whatever depends on the object, for plans and rollouts. Default: no impact
   * for a new object or changed metadata, otherwise `unknown`. Pure.
   */
  readonly impact?: JudgeImpact;
  /** Set if the type has the subresource `scale`: `true` for a built-in type, otherwise the paths of its fields. */
  readonly scale?: true | Scale;
  /** Set if deleting an object also deletes other users' objects (Namespace). Runs never delete such an object. */
  readonly retained?: true;
  /** Set if the type's objects expose paths to requests (Ingress). Runs write them in an order that fails closed. */
  readonly exposure?: true;
  /** Never set. Carries the TypeScript type of `Child.body`. */
  readonly [body]?: Body;
  /** Never set. Carries the TypeScript type of an object in `reads`, if that type differs from `Body`. */
  readonly [read]?: Read;
}

/** Paths of the fields that the subresource `scale` reads and writes, such as `.spec.replicas`. */
export interface Scale {
  /** Path of an integer field. Give it a default: while it is absent, the subresource cannot be read. */
  readonly specReplicasPath: string;
  /** Path of an integer status field that `statusOf` returns. */
  readonly statusReplicasPath: string;
  /** Path of a string field with the label selector by which an autoscaler finds the pods. */
  readonly labelSelectorPath?: string;
}

/** The caller names the body; TypeScript infers the facts: `childType<JobBody>()('Job', 'jobs', …)`. */
export const childType =
  <Body extends object, Read extends object = object>() =>
  <Facts extends JsonObject = JsonObject>(
    kind: string,
    plural: string,
    more: Omit<ChildType<Body, Read, Facts>, 'kind' | 'plural'>,
  ): ChildType<Body, Read, Facts> => ({ kind, plural, ...more });

/** A desired child that exists, or a Job that completed and is gone. `statusOf` and `conditionsOf` receive these. */
export interface FoundChild<Facts extends JsonObject = JsonObject> extends ObjectRef {
  readonly readiness: Readiness;
  /**
   * True if its desired state is applied. False while new fields wait for a step, another child or a rollout, and if
   * the run could not compare or write the child.
   */
  readonly upToDate: boolean;
  /** The result of `ChildType.facts`; empty if it is too large to keep. For a Job that is gone, only `outcome`. */
  readonly facts: Partial<Facts>;
}

/** Returns the children of one type. TypeScript then knows their facts. */
export const ofType = <Facts extends JsonObject>(
  children: readonly FoundChild[],
  type: ChildType<object, object, Facts>,
): readonly FoundChild<Facts>[] =>
  children.filter((one): one is FoundChild<Facts> => isOfType(one, type));
