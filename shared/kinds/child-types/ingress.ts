import { canonicalJson } from '../../canonical.ts';
import { isFields, present } from '../../json.ts';
import type { Json, JsonObject, KubeObject } from '../../kubernetes.ts';
import type { DesiredManifest, Exposure } from '../exposure.ts';
import { addressesOf } from './facts.ts';

/**
 * Returns a marker for a path of an Ingress: a lookahead for its nginx pattern, which rejects every path with a
 * semicolon and makes the patterns of one path differ between Ingresses.
 *
 * Why no semicolons: an application may strip `;…` from each segment (RFC 3986, 3.3; servlets do). To it `/a;x` is
 * `/a`, to nginx another path.
 *
 * Why different patterns: a path that moves is in two Ingresses for a while, but the webhook of ingress-nginx
 * refuses a pattern that another Ingress has. nginx tries longer patterns first, and of two equally long ones the
 * greater. So all markers are as long as the older `(?!~0123456789abcdef)`, and sort after these. The semicolon is
 * written `\x3b` because the webhook refuses patterns like `root…;`.
 */
export const pathMarker = (token: string): string =>
  `(?!~~${token.padEnd(8, '-').slice(0, 8)}|.*\\x3b)`;

const anyMarker = /\(\?!~[^)]*\)/;

/** Returns the pattern without its marker, in the old or the new form. */
export const withoutMarker = (pattern: string): string => pattern.replace(anyMarker, '');

/** Returns the marker in a pattern; empty if there is none. */
export const markerIn = (pattern: string): string => anyMarker.exec(pattern)?.[0] ?? '';

/** The URL that ingress-nginx asks about each request. Without this annotation, every request is admitted. */
export const authUrlAnnotation = 'nginx.ingress.kubernetes.io/auth-url';

interface Rule extends JsonObject {
  readonly http?: { readonly paths?: readonly Item[] };
}

interface Item extends JsonObject {
  readonly path?: string;
}

export function ingressFacts(live: KubeObject) {
  const { spec, metadata } = live;
  const { rules = [] } = isFields(spec) ? spec : {};
  const authUrl = metadata.annotations?.[authUrlAnnotation];
  const addresses = addressesOf(live);
  return { rules, addresses, ...present({ authUrl }) };
}

/** How an Ingress of the class nginx exposes paths. Each path is a pattern with a marker (`pathMarker`). */
export const ingressExposure: Exposure = {
  plural: 'Ingresses',
  field: 'spec.rules',
  isPublic: ({ annotations }) => annotations?.[authUrlAnnotation] === undefined,
  valueOf: ({ rules }) => rules,
  isProtected: ({ authUrl }) => authUrl !== undefined,
  patternsOf: (facts) => (facts.rules === undefined ? undefined : patternsOf(rulesOf(facts))),
  patternsIn: (fields) => patternsOf(rulesIn(fields)),
  pathOf: withoutMarker,
  precedenceOf: markerIn,
  withPaths,
  keeping,
  isPartOf,
};

const rulesOf = ({ rules = [] }: JsonObject): readonly Rule[] => rules as readonly Rule[];

const rulesIn = ({ spec }: JsonObject): readonly Rule[] => (isFields(spec) ? rulesOf(spec) : []);

const patternsOf = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http }) => (http?.paths ?? []).flatMap(({ path }) => path ?? []));

/**
 * Replaces the paths. Copies the first desired item for each path, because items differ only in their paths. If no
 * item is desired, keeps the live items of these paths.
 */
function withPaths(
  fields: JsonObject,
  paths: readonly string[],
  facts: JsonObject | undefined,
): JsonObject {
  const own = patternsOf(rulesIn(fields));
  const withRules = (rules: Json): JsonObject => ({
    ...fields,
    spec: { ...(fields.spec as JsonObject), rules },
  });
  if (own.length === 0 && facts !== undefined) return withRules(keeping(facts, paths));
  // The complete set stays as the kind wrote it, perhaps with several rules or backends.
  if (isSameList(own.map(withoutMarker), paths)) return fields;
  const patterns = [...own, ...(facts === undefined ? [] : patternsOf(rulesOf(facts)))];
  // If several patterns stand for one path, the first one is used.
  const patternByPath = new Map(
    patterns.toReversed().map((pattern) => [withoutMarker(pattern), pattern]),
  );
  const [rule] = rulesIn(fields);
  const http = {
    paths: paths.map((path) => ({
      ...rule?.http?.paths?.[0],
      path: patternByPath.get(path) ?? path,
    })),
  };
  return withRules([{ ...rule, http }]);
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, at) => path === b[at]);

/** The rule of an Ingress without paths, which must have a rule. No request has this host (RFC 6761). */
const placeholderRules: Json = [{ host: 'withdrawn.invalid' }];

function keeping(facts: JsonObject, paths: readonly string[]): Json {
  const stay = new Set(paths);
  const rules = rulesOf(facts).flatMap((rule): readonly Json[] => {
    const kept = (rule.http?.paths ?? []).filter(({ path = '' }) => stay.has(withoutMarker(path)));
    return kept.length === 0 ? [] : [{ ...rule, http: { ...rule.http, paths: kept } }];
  });
  return rules.length > 0 ? rules : placeholderRules;
}

function isPartOf(facts: JsonObject, { body }: DesiredManifest): boolean {
  const desired = new Set(itemsOf(rulesIn(body)));
  return itemsOf(rulesOf(facts)).every((item) => desired.has(item));
}

const itemsOf = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http, ...rest }) =>
    (http?.paths ?? []).map((item) => canonicalJson({ ...rest, item })),
  );
