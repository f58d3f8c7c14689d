import type { Command } from 'commander';
import { isNamed } from '../../shared/kinds/kind.ts';
import { isClusterScoped, type ObjectMeta, qualifiedName } from '../../shared/kubernetes.ts';
import { areaOf, misfitOf } from '../../shared/reconcile/area.ts';
import { parseScope, type Scope } from '../../shared/scope.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Operator } from './operator.ts';
import { didYouMean } from './similar.ts';

export interface ScopeOptions {
  readonly kind?: string;
  readonly namespace?: string;
}

/** `[--kind K] [-n NS]`, with an argument `[NAME]` beside it. */
export const withScope = (command: Command): Command =>
  command
    .option('--kind <kind>', 'only this kind: Website, websites or websites.kubecon.my.domain')
    .option(
      '-n, --namespace <namespace>',
      "only this namespace; default: all, and for a name the context's",
    );

/** The Scope that the options name; one that selects nothing is a usage error. */
export function scopeFrom(
  { config, namespace: own }: Operator,
  { kind, namespace }: ScopeOptions,
  name: string | undefined,
): Scope {
  if (name !== undefined && kind === undefined)
    throw new UsageError(`NAME needs a kind: --kind Website ${name}`);
  const { kinds, namespaces } = config;
  const chosen = kinds.find((one) => kind !== undefined && isNamed(one, kind));
  const isPlaceless = chosen !== undefined && isClusterScoped(chosen);
  const where = namespace ?? (name === undefined || isPlaceless ? undefined : own);
  const given = Object.entries({ kind, namespace: where, name });
  const scope = parseScope(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
  if (typeof scope === 'string') throw new UsageError(scope);
  if (areaOf(scope, { kinds, namespaces }).kinds.length > 0) return scope;
  const known = kinds.map((one) => one.kind);
  const meant =
    kind === undefined || chosen !== undefined
      ? ''
      : didYouMean(kind, [...known, ...kinds.map(({ plural }) => plural)]);
  const places = namespaces === undefined ? '' : `; namespaces: ${namespaces.join(', ')}`;
  throw new UsageError(
    misfitOf(scope, config) ??
      `the scope selects nothing${meant}; known kinds: ${known.join(', ')}${places}`,
  );
}

/** A named resource must exist. If it does not, its kind is listed for the one that was meant. */
export async function requireFound(
  operator: Pick<Operator, 'begin' | 'config'>,
  { kind = '', namespace, name }: Scope,
  found: number,
): Promise<void> {
  if (name === undefined || found > 0) return;
  const there = await resourcesOf(operator, kind).catch(() => []);
  const elsewhere = there.filter((one) => one.name === name).map((one) => one.namespace);
  const beside = there.filter((one) => one.namespace === namespace).map((one) => one.name);
  const meant =
    elsewhere.length > 0
      ? `; there is one in ${elsewhere.join(', ')}: give its namespace with -n`
      : didYouMean(name, beside);
  throw new CommandError(
    `NotFound: there is no ${kind} ${qualifiedName(namespace, name)}${meant || `: status --kind ${kind} lists those that exist`}`,
  );
}

/** Namespace and name of each resource of a kind. */
async function resourcesOf({ begin, config }: Pick<Operator, 'begin' | 'config'>, word: string) {
  const kind = config.kinds.find((one) => isNamed(one, word));
  const found: Pick<ObjectMeta, 'namespace' | 'name'>[] = [];
  if (kind === undefined) return found;
  const { cluster } = await begin();
  for (const namespace of config.namespaces ?? [undefined])
    await cluster.list(kind, { namespace, metadataOnly: true }, ({ metadata }) => {
      found.push(metadata);
    });
  return found;
}
