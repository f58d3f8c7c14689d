import type { Json, JsonObject } from '../kubernetes.ts';

/** The parts of a wanted object's manifest that decide which requests are admitted. */
export interface WantedManifest {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/**
 * Describes a child type whose objects decide which requests are admitted. The objects of one resource are
 * written in the order of `exposureSteps`.
 *
 * A path is what is exposed; a text is the path as the object spells it, possibly with a mark.
 * `facts` are what the child type keeps of a live object (`ChildType.facts`).
 */
export interface Exposure {
  /** For messages: `Ingresses`. */
  readonly plural: string;
  /** The field that holds the paths. */
  readonly field: string;
  /** Reports whether the wanted object admits requests without authorization. */
  readonly isPublic: (wanted: WantedManifest) => boolean;
  /** Returns the live value of `field`. */
  readonly valueOf: (facts: JsonObject) => Json | undefined;
  /** Reports whether the live object requires authorization. */
  readonly isProtected: (facts: JsonObject) => boolean;
  /** Returns the texts of the live paths; undefined if the facts were not kept. */
  readonly textsOf: (facts: JsonObject) => readonly string[] | undefined;
  /** Returns the texts of the paths in fields to be applied. */
  readonly textsIn: (fields: JsonObject) => readonly string[];
  readonly pathOf: (text: string) => string;
  /** If two objects have the same path, the one with the greater precedence answers. */
  readonly precedenceOf: (text: string) => string;
  /** Replaces the paths in `fields` with these. A live path that is not wanted keeps its live text. */
  readonly withPaths: (
    fields: JsonObject,
    paths: readonly string[],
    facts: JsonObject | undefined,
  ) => JsonObject;
  /** Returns the value of `field` that leaves a live object only these paths. */
  readonly keeping: (facts: JsonObject, paths: readonly string[]) => Json;
  /** Reports whether every live path is wanted and has the wanted backend. */
  readonly isPartOf: (facts: JsonObject, wanted: WantedManifest) => boolean;
}
