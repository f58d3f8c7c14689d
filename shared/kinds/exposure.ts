import type { Json, JsonObject } from '../kubernetes.ts';

/** The parts of a desired object's manifest that decide which requests are admitted. */
export interface DesiredManifest {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/**
 * Describes a child type whose objects decide which requests are admitted. The objects of one resource are written
 * in the order of `exposureSteps`.
 *
 * A path is what clients request, such as `/a`; a pattern is how the object spells it, possibly with a marker.
 * `facts` are those of a live object (`ChildType.facts`).
 */
export interface Exposure {
  /** For messages, such as `Ingresses`. */
  readonly plural: string;
  /** The path of the field that contains the exposed paths. */
  readonly field: string;
  /** Reports whether the desired object admits requests without authorization. */
  readonly isPublic: (desired: DesiredManifest) => boolean;
  /** Returns the live value of `field`. */
  readonly valueOf: (facts: JsonObject) => Json | undefined;
  /** Reports whether the live object requires authorization. */
  readonly isProtected: (facts: JsonObject) => boolean;
  /** Returns the patterns of the live paths; undefined if the facts were not kept. */
  readonly patternsOf: (facts: JsonObject) => readonly string[] | undefined;
  /** Returns the patterns of the paths in fields to be applied. */
  readonly patternsIn: (fields: JsonObject) => readonly string[];
  readonly pathOf: (pattern: string) => string;
  /** Ranks patterns: of two objects with the same path, the object with the greater result serves the requests. */
  readonly precedenceOf: (pattern: string) => string;
  /**
   * Replaces the paths in `fields`. A live path that is no longer desired keeps its live pattern. For a live
   * object, the result sets `field` even without paths, so that an apply replaces the paths that others set.
   */
  readonly withPaths: (
    fields: JsonObject,
    paths: readonly string[],
    facts: JsonObject | undefined,
  ) => JsonObject;
  /** Returns the value of `field` with which a live object exposes only these paths. */
  readonly keeping: (facts: JsonObject, paths: readonly string[]) => Json;
  /** Reports whether every live path is desired and has the desired backend. */
  readonly isPartOf: (facts: JsonObject, desired: DesiredManifest) => boolean;
}
