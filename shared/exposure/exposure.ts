import type { Json, JsonObject } from '../kubernetes.ts';

/** The manifest of a wanted object, as far as it decides who is admitted. */
export interface WantedManifest {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/**
 * What the engine has to know of a child type whose objects decide which requests are admitted. The
 * objects of one resource are changed in the order of `exposureSteps`.
 *
 * A path is what is exposed; its text, as it stands in the object, may carry more than the path.
 * `facts` are those that the child type keeps of a live object.
 */
export interface Exposure {
  /** `Ingresses` */
  readonly plural: string;
  /** The field that holds the paths. */
  readonly field: string;
  /** Requests are admitted without authorization. */
  readonly isPublic: (wanted: WantedManifest) => boolean;
  /** The live value of `field`. */
  readonly valueOf: (facts: JsonObject) => Json | undefined;
  /** The live object asks for authorization. */
  readonly isProtected: (facts: JsonObject) => boolean;
  /** The texts of the live paths; undefined where they were not kept. */
  readonly textsOf: (facts: JsonObject) => readonly string[] | undefined;
  /** The texts of the paths in the fields that are applied. */
  readonly textsIn: (fields: JsonObject) => readonly string[];
  readonly pathOf: (text: string) => string;
  /** Of two objects with one path, the one whose text has the greater precedence answers. */
  readonly precedenceOf: (text: string) => string;
  /** The fields with these paths instead of their own, in the live texts where a path has one. */
  readonly withPaths: (
    fields: JsonObject,
    paths: readonly string[],
    facts: JsonObject | undefined,
  ) => JsonObject;
  /** The value of `field` once a live object has lost all paths but these. */
  readonly keeping: (facts: JsonObject, paths: readonly string[]) => Json;
  /** Every live path is a wanted one and leads where it should. */
  readonly isPartOf: (facts: JsonObject, wanted: WantedManifest) => boolean;
}
