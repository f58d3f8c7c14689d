import type { Command } from 'commander';
import { isNamed } from '../../shared/kinds/define-kind.ts';
import { isClusterScoped, qualifiedName } from '../../shared/kubernetes.ts';
import { areaOf, misfitOf } from '../../shared/reconcile/area.ts';
import { parseScope, type Scope } from '../../shared/scope.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Operator } from './operator.ts';

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
  const known = kinds.map((one) => one.kind).join(', ');
  const places = namespaces === undefined ? '' : `; namespaces: ${namespaces.join(', ')}`;
  throw new UsageError(
    misfitOf(scope, config) ?? `the scope selects nothing; known kinds: ${known}${places}`,
  );
}

/** A named resource must exist. */
export function requireFound({ kind, namespace, name }: Scope, found: number): void {
  if (name === undefined || found > 0) return;
  throw new CommandError(
    `NotFound: there is no ${kind} ${qualifiedName(namespace, name)}: status --kind ${kind} lists those that exist`,
  );
}
