import { ConfigError } from '../environment.ts';
import { defaultIdentity, type Identity, nameProblem } from '../identity.ts';
import type { Impact } from '../kinds/impact.ts';
import { hasName, isKind, type Kind } from '../kinds/kind.ts';
import { groupResource, includesType, isSameType } from '../kubernetes.ts';
import { quote } from '../printable.ts';
import { variables } from './variables.ts';

/** Parses the value of a variable; `''` if the variable is unset. Throws an Error that explains what is wrong. */
export type Setting<Value> = (text: string) => Value;

type Settings = Readonly<Record<string, Setting<unknown>>>;

type ValuesOf<S extends Settings> = { readonly [Name in keyof S]: ReturnType<S[Name]> };

interface ConfigOptions<S extends Settings> {
  /**
   * The reconciler's name; default: serverless-reconciler. It is the field manager, a label on children and part of
   * the names of roles. Reconcilers on the same cluster need different names.
   */
  readonly name?: string;
  /** A parser for each environment variable that your kinds depend on. */
  readonly settings?: S & Settings;
  /** Environment of the functions under `npm start`. Shell variables take precedence. */
  readonly localEnvironment?: Readonly<Record<string, string>>;
  /** Limits for the impact of new code on recorded clusters. `reconciler impact` checks them. */
  readonly policies?: Policies;
  /** The kinds to reconcile, or a function that makes them from the settings. */
  readonly kinds: readonly Kind[] | ((settings: ValuesOf<S>) => readonly Kind[]);
}

/** The kinds and settings of a reconciler, for any installation: the default export of `reconciler.config.ts`. */
export interface ReconcilerConfig {
  readonly format: typeof format;
  readonly identity: Identity;
  /** Names of the environment variables that kinds depend on. */
  readonly settings: readonly string[];
  readonly localEnvironment: Readonly<Record<string, string>>;
  readonly policies: Policies;
  /** Throws a ConfigError for an invalid setting or conflicting kinds. */
  readonly kindsFor: (read: (variable: string) => string) => readonly Kind[];
}

/** Identifies a result of `defineConfig`, even from another copy of this package. */
const format = 'serverless-reconciler/config';

export const isReconcilerConfig = (value: unknown): value is ReconcilerConfig =>
  (value as Partial<ReconcilerConfig> | null | undefined)?.format === format;

/**
 * Defines what a reconciler reconciles. Throws a ConfigError for invalid names and for conflicting kinds. If `kinds` is
 * a function, only `kindsFor` can check its result.
 */
export function defineConfig<const S extends Settings = Record<never, never>>({
  name = defaultIdentity.name,
  settings = {} as S,
  localEnvironment = {},
  policies = {},
  kinds,
}: ConfigOptions<S>): ReconcilerConfig {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new ConfigError(`name: "${name}": ${problem}`);
  for (const variable of Object.keys(settings)) checkVariable(variable);
  const kindsFor: ReconcilerConfig['kindsFor'] = (read) => {
    if (typeof kinds !== 'function') return kinds;
    const values = Object.entries(settings).map(([variable, parse]) => [
      variable,
      parsed(variable, parse, read(variable)),
    ]);
    return requireKinds(kinds(Object.fromEntries(values) as ValuesOf<S>));
  };
  if (typeof kinds !== 'function') requireKinds(kinds);
  return {
    format,
    identity: { name },
    settings: Object.keys(settings),
    localEnvironment,
    policies,
    kindsFor,
  };
}

export const defaultKinds = (config: ReconcilerConfig): readonly Kind[] =>
  config.kindsFor(() => '');

function checkVariable(name: string): void {
  if (!/^[A-Z][A-Z0-9_]*$/.test(name))
    throw new ConfigError(
      `settings.${name}: not the name of an environment variable; write it like AUTH_URL`,
    );
  if ((variables as readonly string[]).includes(name))
    throw new ConfigError(
      `settings.${name}: this variable configures the functions; choose another name`,
    );
}

function parsed<Value>(name: string, parse: Setting<Value>, text: string): Value {
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError(`${name}: ${(error as Error).message}`);
  }
}

function requireKinds(kinds: readonly Kind[]): readonly Kind[] {
  if (!Array.isArray(kinds)) throw new ConfigError(`kinds is ${quote(kinds)}; it must be a list`);
  const other = kinds.findIndex((kind) => !isKind(kind));
  if (other >= 0)
    throw new ConfigError(
      `kinds[${other}] is ${quote(kinds[other])}; it must be what defineKind returns (undefined usually means that two files import each other)`,
    );
  if (kinds.length === 0) throw new ConfigError('kinds is empty; add a kind made with defineKind');
  for (const [at, kind] of kinds.entries()) {
    requireUnambiguous(kind, kinds.toSpliced(at, 1));
    requireNoCircle(kind, kinds);
  }
  const owned = kinds.flatMap(({ owns }) => owns);
  for (const type of owned) {
    const other = owned.find((one) => isSameType(one, type) && one.version !== type.version);
    if (other !== undefined)
      throw new ConfigError(
        `kinds: ${groupResource(type)} is owned in two versions, ${other.version} and ${type.version}; choose one`,
      );
  }
  return kinds;
}

/** Compares names across groups, because `KINDS` and labels omit the group. */
function requireUnambiguous(kind: Kind, others: readonly Kind[]): void {
  for (const word of [kind.kind, groupResource(kind), ...kind.shortNames]) {
    const other = others.find((candidate) => hasName(candidate, word));
    if (other !== undefined)
      throw new ConfigError(
        `kinds: ${word} names both ${kind.kind} and ${other.kind}; choose another name`,
      );
  }
}

function requireNoCircle(kind: Kind, kinds: readonly Kind[], above: readonly Kind[] = []): void {
  if (above[0] === kind)
    throw new ConfigError(
      `kinds: ${[...above, kind].map((owner) => owner.kind).join(' owns ')}, so each resource would create another without end; remove a kind from \`owns\``,
    );
  if (above.includes(kind)) return;
  for (const type of kind.owns) {
    const owned = kinds.find((candidate) => isSameType(candidate, type));
    if (owned !== undefined && !includesType(kind.formerly, type))
      requireNoCircle(owned, kinds, [...above, kind]);
  }
}

/**
 * Limits how many resources, in all clusters together, new code may affect. There is a limit for each impact and, as
 * `delete`, for the deletion of children: a number such as `0`, or a percentage such as `'5%'`.
 */
export type Policies = { readonly [Subject in Impact | 'delete']?: number | string };
