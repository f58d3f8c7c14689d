import { canonicalJson, isMap } from '../canonical.ts';
import type { Json, JsonObject, KubeObject } from '../kubernetes.ts';
import type { Exposure, WantedManifest } from './exposure.ts';
import { markIn, unmarked } from './path-marks.ts';

/** Where ingress-nginx has each request authorized. Without this annotation it admits every request. */
export const authUrlAnnotation = 'nginx.ingress.kubernetes.io/auth-url';

interface Rule extends JsonObject {
  readonly http?: { readonly paths?: readonly Item[] };
}

interface Item extends JsonObject {
  readonly path?: string;
}

export function ingressFacts({ spec, metadata }: KubeObject): JsonObject {
  const { rules = [] } = isMap(spec as Json) ? (spec as JsonObject) : {};
  const authUrl = metadata.annotations?.[authUrlAnnotation];
  return authUrl === undefined ? { rules } : { rules, authUrl };
}

/** Ingresses of the class nginx; each path is a pattern with a mark (`path-marks.ts`). */
export const ingressExposure: Exposure = {
  plural: 'Ingresses',
  field: 'spec.rules',
  isPublic: ({ annotations }) => annotations?.[authUrlAnnotation] === undefined,
  valueOf: ({ rules }) => rules,
  isProtected: ({ authUrl }) => authUrl !== undefined,
  textsOf: (facts) => (facts.rules === undefined ? undefined : textsOf(rulesOf(facts))),
  textsIn: (fields) => textsOf(rulesIn(fields)),
  pathOf: unmarked,
  precedenceOf: markIn,
  withPaths,
  keeping,
  isPartOf,
};

const rulesOf = ({ rules = [] }: JsonObject): readonly Rule[] => rules as readonly Rule[];

const rulesIn = ({ spec }: JsonObject): readonly Rule[] => (isMap(spec) ? rulesOf(spec) : []);

const textsOf = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http }) => (http?.paths ?? []).flatMap(({ path }) => path ?? []));

/** The items of one Ingress differ only in their path. */
function withPaths(
  fields: JsonObject,
  paths: readonly string[],
  facts: JsonObject | undefined,
): JsonObject {
  const own = textsOf(rulesIn(fields));
  // A kind may write several rules or backends: the complete set of paths is sent as the kind wrote it.
  if (isSameList(own.map(unmarked), paths)) return fields;
  const texts = [...own, ...(facts === undefined ? [] : textsOf(rulesOf(facts)))];
  // Where a path has several texts, the first one wins.
  const textByPath = new Map(texts.toReversed().map((text) => [unmarked(text), text]));
  const [rule] = rulesIn(fields);
  const http = {
    paths: paths.map((path) => ({
      ...rule?.http?.paths?.[0],
      path: textByPath.get(path) ?? path,
    })),
  };
  return { ...fields, spec: { ...(fields.spec as JsonObject), rules: [{ ...rule, http }] } };
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, at) => path === b[at]);

/** An Ingress must have a rule: this one is for a host that no request has (RFC 6761), without a path. */
const placeholderRules: Json = [{ host: 'withdrawn.invalid' }];

function keeping(facts: JsonObject, paths: readonly string[]): Json {
  const stay = new Set(paths);
  const rules = rulesOf(facts).flatMap((rule): readonly Json[] => {
    const kept = (rule.http?.paths ?? []).filter(({ path = '' }) => stay.has(unmarked(path)));
    return kept.length === 0 ? [] : [{ ...rule, http: { ...rule.http, paths: kept } }];
  });
  return rules.length > 0 ? rules : placeholderRules;
}

function isPartOf(facts: JsonObject, { body }: WantedManifest): boolean {
  const wanted = new Set(itemsOf(rulesIn(body)));
  return itemsOf(rulesOf(facts)).every((item) => wanted.has(item));
}

const itemsOf = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http, ...rest }) =>
    (http?.paths ?? []).map((item) => canonicalJson({ ...rest, item })),
  );
