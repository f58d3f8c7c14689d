import type { Json, JsonObject } from '../kubernetes.ts';

/** The parts of a wanted object's manifest that decide which requests are admitted. */
export interface WantedManifest {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/**
 * Describes a child type whose objects decide which requests are admitted. The objects of one resource
 * are written in the order of `exposureSteps`.
 *
 * A path is what is exposed; its text is the path as the object spells it, possibly with a mark.
 * `facts` are what the child type keeps of a live object (`ChildType.facts`).
 */
export interface Exposure {
  /** `Ingresses` */
  readonly plural: string;
  /** The field that holds the paths. */
  readonly field: string;
  /** The wanted object admits requests without authorization. */
  readonly isPublic: (wanted: WantedManifest) => boolean;
  /** The live value of `field`. */
  readonly valueOf: (facts: JsonObject) => Json | undefined;
  /** The live object requires authorization. */
  readonly isProtected: (facts: JsonObject) => boolean;
  /** The texts of the live paths; undefined where the facts were not kept. */
  readonly textsOf: (facts: JsonObject) => readonly string[] | undefined;
  /** The texts of the paths in fields to be applied. */
  readonly textsIn: (fields: JsonObject) => readonly string[];
  readonly pathOf: (text: string) => string;
  /** Where two objects have the same path, the one with the greater precedence answers. */
  readonly precedenceOf: (text: string) => string;
  /** `fields` with these paths in place of their own; one that is live and not wanted keeps its live text. */
  readonly withPaths: (
    fields: JsonObject,
    paths: readonly string[],
    facts: JsonObject | undefined,
  ) => JsonObject;
  /** The value of `field` that leaves a live object only these paths. */
  readonly keeping: (facts: JsonObject, paths: readonly string[]) => Json;
  /** Every live path is wanted and has the wanted backend. */
  readonly isPartOf: (facts: JsonObject, wanted: WantedManifest) => boolean;
}
