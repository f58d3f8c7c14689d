import { canonicalJson } from '../../canonical.ts';
import { isFields, present } from '../../json.ts';
import type { Json, JsonObject, KubeObject, ObjectMeta } from '../../kubernetes.ts';
import { addressesOf } from './facts.ts';

/**
 * Returns a marker for a path of an Ingress, such as `(?!~~a1b2c3d4|.*\x3b)`. It is a lookahead in the path's nginx
 * pattern. It rejects every path with a semicolon, and makes the patterns of one path differ between Ingresses.
 *
 * Why no semicolons: an application may strip `;…` from each segment (RFC 3986, 3.3; servlets do), and serve `/a;x`
 * like `/a`. For nginx, `/a;x` and `/a` are two paths.
 *
 * Why different patterns: while a path moves, it is in two Ingresses, but the webhook of ingress-nginx refuses a
 * pattern that another Ingress has. nginx tries longer patterns first; among equally long patterns, the one that sorts
 * last. So markers are as long as those of the older form, such as `(?!~0123456789abcdef)`, and sort after them. The
 * semicolon is written `\x3b` because the webhook refuses patterns like `root…;`.
 */
export const pathMarker = (token: string): string =>
  `(?!~~${token.padEnd(8, '-').slice(0, 8)}|.*\\x3b)`;

const anyMarker = /\(\?!~[^)]*\)/;

/** Accepts both forms of the marker. */
export const withoutMarker = (pattern: string): string => pattern.replace(anyMarker, '');

/** Returns the `pathMarker`. Of two Ingresses with the same path, the one with the greater marker serves requests. */
export const markerIn = (pattern: string): string => anyMarker.exec(pattern)?.[0] ?? '';

/** The annotation with the URL that ingress-nginx asks about each request. An Ingress without it is public. */
export const authUrlAnnotation = 'nginx.ingress.kubernetes.io/auth-url';

interface Rule extends JsonObject {
  readonly http?: { readonly paths?: readonly Item[] };
}

interface Item extends JsonObject {
  readonly path?: string;
}

export function ingressFacts(live: KubeObject) {
  const authUrl = live.metadata.annotations?.[authUrlAnnotation];
  const rules: readonly JsonObject[] = rulesIn(live);
  return { rules, addresses: addressesOf(live), ...present({ authUrl }) };
}

/** The field that runs write in the order of `exposureSteps`. A path is a pattern without its `pathMarker`. */
export const pathsField = 'spec.rules';

/** Reports whether the desired Ingress admits requests without authorization. */
export const isPublic = ({ annotations }: Pick<ObjectMeta, 'annotations'>): boolean =>
  annotations?.[authUrlAnnotation] === undefined;

const rulesOf = ({ rules = [] }: JsonObject): readonly Rule[] => rules as readonly Rule[];

const rulesIn = ({ spec }: JsonObject): readonly Rule[] => (isFields(spec) ? rulesOf(spec) : []);

const patternsAmong = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http }) => (http?.paths ?? []).flatMap(({ path }) => path ?? []));

export const patternsIn = (fields: JsonObject) => patternsAmong(rulesIn(fields));

/** Returns undefined if `facts` were dropped to save memory. */
export const patternsOf = (facts: JsonObject) =>
  facts.rules === undefined ? undefined : patternsAmong(rulesOf(facts));

/**
 * Returns the desired `fields`, with rules for these paths. An undesired path keeps its live pattern and gets the backend
 * of the first desired path. If no path is desired, keeps only the live rules for these paths. If no rule is left,
 * returns placeholder rules, because an apply without rules would leave the paths that others set.
 */
export function withPaths(
  fields: JsonObject,
  paths: readonly string[],
  facts: JsonObject | undefined,
) {
  const rules = rulesIn(fields);
  const own = patternsAmong(rules);
  const withRules = (changed: Json): JsonObject => ({
    ...fields,
    spec: { ...(fields.spec as JsonObject), rules: changed },
  });
  if (facts !== undefined && (own.length === 0 || paths.length === 0))
    return withRules(keeping(facts, paths));
  if (own.length === paths.length && own.every((one, at) => withoutMarker(one) === paths[at]))
    return fields;
  const live = patternsAmong(rulesOf(facts ?? {}));
  const patternsByPath = Map.groupBy([...own, ...live], withoutMarker);
  const [rule] = rules;
  const items = paths.map((path) => ({
    ...rule?.http?.paths?.[0],
    path: patternsByPath.get(path)?.[0] ?? path,
  }));
  return withRules([{ ...rule, http: { paths: items } }]);
}

/** Rules that match no request (RFC 6761), because an Ingress needs at least one rule. */
const placeholderRules: Json = [{ host: 'withdrawn.invalid' }];

/** Returns the rules with which a live Ingress exposes only these paths. */
export function keeping(facts: JsonObject, paths: readonly string[]): Json {
  const stay = new Set(paths);
  const rules = rulesOf(facts).flatMap((rule): readonly Json[] => {
    const items = rule.http?.paths ?? [];
    const kept = items.filter(({ path = '' }) => stay.has(withoutMarker(path)));
    return kept.length === 0 ? [] : [{ ...rule, http: { ...rule.http, paths: kept } }];
  });
  return rules.length > 0 ? rules : placeholderRules;
}

/** Reports whether every live path is desired and has the desired backend. */
export function isPartOf(facts: JsonObject, { body }: { readonly body: JsonObject }): boolean {
  const desired = new Set(itemsOf(rulesIn(body)));
  return itemsOf(rulesOf(facts)).every((item) => desired.has(item));
}

const itemsOf = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http, ...rest }) =>
    (http?.paths ?? []).map((item) => canonicalJson({ ...rest, item })),
  );
