/** Which resources a run looks at: `{}` is all of them, every field narrows. */
export interface Scope {
  /** `Foo`, `foos` or `foos.example.com`. */
  readonly kind?: string;
  readonly namespace?: string;
  /** Only together with kind and namespace. */
  readonly name?: string;
}

/** A Scope as it travels over Pub/Sub, or in the body of a request to the audit function. */
export interface ScopeMessage {
  readonly version: 1;
  readonly scope: Scope;
  /** One of several that one deployment looks after; without it all of them. */
  readonly cluster?: string;
}

const kindPattern = /^[A-Za-z][A-Za-z0-9-]*(\.[a-z0-9][-a-z0-9]*)*$/;
const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomainPattern = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

const fields: Readonly<Record<keyof Scope, { pattern: RegExp; longest: number; like: string }>> = {
  kind: { pattern: kindPattern, longest: 317, like: 'Foo, foos or foos.example.com' },
  namespace: { pattern: labelPattern, longest: 63, like: 'a DNS label such as team-a' },
  name: { pattern: subdomainPattern, longest: 253, like: 'a DNS subdomain such as foo-sample' },
};

/** The Scope in a JSON value, or why there is none. */
export function parseScope(value: unknown): Scope | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'a scope is an object with kind, namespace and name, each optional';
  for (const [key, given] of Object.entries(value)) {
    const refusal = Object.hasOwn(fields, key)
      ? refuseField(key as keyof Scope, given)
      : `unknown field ${quote(key)}: a scope has kind, namespace and name`;
    if (refusal !== undefined) return refusal;
  }
  const { kind, namespace, name }: Scope = value;
  if (name !== undefined && (kind === undefined || namespace === undefined))
    return 'name needs kind and namespace beside it';
  return scopeOf(kind, namespace, name);
}

/** A Scope of the parts that are there. */
export const scopeOf = (kind?: string, namespace?: string, name?: string): Scope => ({
  ...(kind === undefined ? {} : { kind }),
  ...(namespace === undefined ? {} : { namespace }),
  ...(name === undefined ? {} : { name }),
});

/** More resources than this, of one kind in one namespace, cost more by name than in one list. */
const maxNames = 8;

/** Few Scopes that cover the same resources, or more where many are named; of equal ones the first stays. */
export function mergeScopes(scopes: readonly Scope[]): readonly Scope[] {
  const counts = new Map<string, number>();
  const unique = withoutCovered(scopes);
  for (const scope of unique) counts.set(placeOf(scope), (counts.get(placeOf(scope)) ?? 0) + 1);
  const widened = unique.map((scope) =>
    (counts.get(placeOf(scope)) ?? 0) > maxNames ? scopeOf(scope.kind, scope.namespace) : scope,
  );
  return withoutCovered(widened);
}

const placeOf = ({ kind, namespace }: Scope): string => JSON.stringify([kind, namespace]);

function withoutCovered(scopes: readonly Scope[]): readonly Scope[] {
  const kept: Scope[] = [];
  const seen = new Set<string>();
  for (const scope of scopes) {
    const key = JSON.stringify([scope.kind, scope.namespace, scope.name]);
    if (!seen.has(key)) kept.push(scope);
    seen.add(key);
  }
  return kept.filter((scope) => !kept.some((other) => other !== scope && covers(other, scope)));
}

export const scopeMessage = (scope: Scope, cluster?: string): ScopeMessage => ({
  version: 1,
  scope,
  ...(cluster === undefined ? {} : { cluster }),
});

function refuseField(key: keyof Scope, given: unknown): string | undefined {
  const { pattern, longest, like } = fields[key];
  if (typeof given === 'string' && given.length <= longest && pattern.test(given)) return;
  return `${key} must be ${like}, not ${quote(given)}`;
}

const quote = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

/** A kind spelt in two ways counts as two kinds: more Scopes than needed, never fewer. */
const covers = (wide: Scope, narrow: Scope): boolean =>
  (['kind', 'namespace', 'name'] as const).every(
    (key) => wide[key] === undefined || wide[key] === narrow[key],
  );
