import { present } from './json.ts';
import { quote } from './printable.ts';

/** The resources that a run reconciles: `{}` is all of them, and every field narrows the selection. */
export interface Scope {
  /** `Foo`, `foos` or `foos.example.com`. */
  readonly kind?: string;
  readonly namespace?: string;
  /** Requires a kind and, unless that is cluster-scoped, a namespace. */
  readonly name?: string;
}

/** A Scope as a published message, or in the body of a request to the audit function. */
export interface ScopeMessage {
  readonly version: 1;
  readonly scope: Scope;
  /** One of the clusters that a deployment serves; default: all of them. */
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

/** The Scope in a JSON value, or why it is not one. */
export function parseScope(value: unknown): Scope | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'a scope must be an object with kind, namespace and name, each optional';
  for (const key of Object.keys(value)) {
    const refusal = Object.hasOwn(fields, key)
      ? refuseField(key as keyof Scope, value[key as keyof typeof value])
      : `unknown field ${quote(key)}: a scope has kind, namespace and name`;
    if (refusal !== undefined) return refusal;
  }
  const { kind, namespace, name }: Scope = value;
  if (name !== undefined && kind === undefined) return 'name requires kind';
  return scopeOf(kind, namespace, name);
}

export const scopeOf = (kind?: string, namespace?: string, name?: string): Scope => ({
  ...present({ kind }),
  ...present({ namespace }),
  ...present({ name }),
});

/** Reading more objects than this of one type and namespace by name costs more than one list. */
export const maxByName = 8;

/** More Scopes than this of one kind are widened to namespaces, then to the whole kind. */
const maxOfKind = 32;

const wholeNamespace = ({ kind, namespace }: Scope): Scope => scopeOf(kind, namespace);
const wholeKind = ({ kind }: Scope): Scope => scopeOf(kind);

/**
 * Reduces Scopes to few that select at least the same resources: duplicates and Scopes within others
 * are dropped, and where many are of one kind they are widened.
 *
 * Guarantees: at most `maxOfKind` for each kind; linear time.
 */
export function mergeScopes(scopes: readonly Scope[]): readonly Scope[] {
  const named = withoutCovered(scopes);
  const listed = widen(named, { group: wholeNamespace, most: maxByName, wider: wholeNamespace });
  const spread = widen(listed, { group: wholeKind, most: maxOfKind, wider: wholeNamespace });
  return widen(spread, { group: wholeKind, most: maxOfKind, wider: wholeKind });
}

interface Widening {
  readonly group: (scope: Scope) => Scope;
  readonly most: number;
  readonly wider: (scope: Scope) => Scope;
}

/** Widens the Scopes of every group that has more than `most`. */
function widen(scopes: readonly Scope[], { group, most, wider }: Widening): readonly Scope[] {
  const counts = new Map<string, number>();
  for (const scope of scopes) {
    const key = keyOf(group(scope));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (Math.max(0, ...new Set(counts.values())) <= most) return scopes;
  const isLarge = (scope: Scope): boolean => (counts.get(keyOf(group(scope))) ?? 0) > most;
  return withoutCovered(scopes.map((scope) => (isLarge(scope) ? wider(scope) : scope)));
}

const keyOf = ({ kind, namespace, name }: Parts): string => JSON.stringify([kind, namespace, name]);

interface Parts {
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** A kind spelt in two ways counts as two, which may leave more Scopes than needed, never fewer. */
function withoutCovered(scopes: readonly Scope[]): readonly Scope[] {
  const unique = new Map<string, Scope>();
  for (const scope of scopes) {
    const key = keyOf(scope);
    if (!unique.has(key)) unique.set(key, scope);
  }
  return [...unique].flatMap(([key, scope]) =>
    widerThan(scope).some((wider) => wider !== key && unique.has(wider)) ? [] : [scope],
  );
}

/** The keys of all Scopes that leave out some of this one's parts. */
const widerThan = ({ kind, namespace, name }: Scope): readonly string[] => [
  keyOf({}),
  keyOf({ kind }),
  keyOf({ namespace }),
  keyOf({ name }),
  keyOf({ kind, namespace }),
  keyOf({ kind, name }),
  keyOf({ namespace, name }),
];

export const scopeMessage = (scope: Scope, cluster?: string): ScopeMessage => ({
  version: 1,
  scope,
  ...present({ cluster }),
});

/** Whether an object can have this name; any other may select several objects, or none, in a selector. */
export const isObjectName = (given: unknown): given is string =>
  refuseField('name', given) === undefined;

function refuseField(key: keyof Scope, given: unknown): string | undefined {
  const { pattern, longest, like } = fields[key];
  if (typeof given === 'string' && given.length <= longest && pattern.test(given)) return;
  return `${key} must be ${like}, not ${quote(given)}`;
}
