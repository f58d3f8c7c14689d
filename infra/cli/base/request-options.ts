import { type Command, InvalidArgumentError, Option } from 'commander';
import { present } from '../../../shared/json.ts';
import { hasName } from '../../../shared/kinds/kind.ts';
import { isClusterScoped, type ObjectMeta, qualifiedName } from '../../../shared/kubernetes.ts';
import { parseRequest, type ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { areaOf, misfitOf } from '../../../shared/run/area.ts';
import { didYouMean } from '../../similar.ts';
import type { OutputFormat } from '../output/print.ts';
import type { KubeOptions } from './choose-context.ts';
import { withCluster } from './cli.ts';
import { CommandError, UsageError } from './command-errors.ts';
import type { Session } from './session.ts';

export interface ReconcileRequestOptions {
  readonly kind?: string;
  readonly namespace?: string;
  readonly allNamespaces?: true;
}

export interface ResourceOptions<Format extends string = 'text'>
  extends KubeOptions,
    ReconcileRequestOptions {
  readonly output: OutputFormat<Format>;
}

export interface YesOptions extends ResourceOptions {
  readonly yes?: true;
}

export const withRequestOptions = (command: Command): Command =>
  withCluster(
    command
      .option('--kind <kind>', 'only this kind: its name, plural, short name or PLURAL.GROUP', once)
      .option(
        '-n, --namespace <namespace>',
        'only this namespace; default: all namespaces or, for a named resource, the namespace of the context',
        once,
      )
      .addOption(
        new Option('-A, --all-namespaces', 'all namespaces, the default').conflicts('namespace'),
      ),
  );

export const withResource = (command: Command): Command =>
  withRequestOptions(
    command.argument('[resource...]', 'KIND, KIND NAME or KIND/NAME; only NAME with --kind'),
  );

function once(value: string, before: string | undefined): string {
  if (before === undefined) return value;
  throw new InvalidArgumentError(
    `It was given twice, first as "${before}": give it once, or run the command for each value.`,
  );
}

/** Reads kind and name from the arguments, as kubectl does: KIND, KIND NAME or KIND/NAME; with --kind, only NAME. */
export function namedBy(words: readonly string[], option: string | undefined) {
  const [first, second] = words;
  if (option === undefined && first !== undefined && second === undefined && first.includes('/')) {
    const [kind = '', name = '', ...more] = first.split('/');
    if (kind !== '' && name !== '' && more.length === 0) return { kind, name };
    throw new UsageError(
      `"${first}" names no resource: write KIND/NAME, and give the namespace with -n`,
    );
  }
  const [kind, name, ...more] = option === undefined ? words : [option, ...words];
  const [namespace = '', inside] = name?.split('/') ?? [];
  if (more.length > 0 || kind?.includes('/'))
    throw new UsageError(
      `"${words.join(' ')}" names no single resource: write KIND NAME or KIND/NAME`,
    );
  if (inside !== undefined)
    throw new UsageError(`"${name}" is not a NAME: write ${kind} ${inside} -n ${namespace}`);
  return { kind, name };
}

/** Throws a UsageError if the request selects nothing. */
export function requestFrom(
  { config, namespace: ofContext }: Pick<Session, 'config' | 'namespace'>,
  options: ReconcileRequestOptions,
  words: readonly string[],
): ReconcileRequest {
  const { kind, name } = namedBy(words, options.kind);
  const { kinds, namespaces } = config;
  const chosen = kinds.find((one) => kind !== undefined && hasName(one, kind));
  const known = kinds.map((one) => one.kind);
  if (kind !== undefined && chosen === undefined) {
    const meant = didYouMean(kind, [...known, ...kinds.map(({ plural }) => plural)]);
    throw new UsageError(
      `there is no kind "${kind}"${meant}; known kinds: ${known.join(', ')}; a resource is named as KIND NAME or KIND/NAME`,
    );
  }
  const hasNoNamespace = chosen !== undefined && isClusterScoped(chosen);
  if (options.allNamespaces && name !== undefined && !hasNoNamespace)
    throw new UsageError(
      `-A selects all namespaces, but ${kind} ${name} is in one: use -n NAMESPACE instead`,
    );
  const where = options.namespace ?? (name === undefined || hasNoNamespace ? undefined : ofContext);
  const request = parseRequest(present({ kind, namespace: where, name }));
  if (typeof request === 'string') throw new UsageError(request);
  if (areaOf(request, { kinds, namespaces }).kinds.length > 0) return request;
  const namespaceHint = namespaces === undefined ? '' : `; namespaces: ${namespaces.join(', ')}`;
  throw new UsageError(
    misfitOf(request, config) ??
      `nothing is selected; known kinds: ${known.join(', ')}${namespaceHint}`,
  );
}

/** Throws if a named resource was not found (`found` is 0). Suggests its namespace or a similar name. */
export async function requireFound(
  session: Pick<Session, 'begin' | 'config'>,
  { kind = '', namespace, name }: ReconcileRequest,
  found: number,
): Promise<void> {
  if (name === undefined || found > 0) return;
  const existing = await resourcesOf(session, kind).catch(() => []);
  const elsewhere = existing.filter((one) => one.name === name).map((one) => one.namespace);
  const beside = existing.filter((one) => one.namespace === namespace).map((one) => one.name);
  const meant =
    elsewhere.length > 0
      ? `; there is one in ${elsewhere.join(', ')}: give its namespace with -n`
      : didYouMean(name, beside);
  throw new CommandError(
    `NotFound: there is no ${kind} ${qualifiedName(namespace, name)}${meant || `; to list those that exist: reconciler status ${kind}`}`,
  );
}

async function resourcesOf({ begin, config }: Pick<Session, 'begin' | 'config'>, word: string) {
  const kind = config.kinds.find((one) => hasName(one, word));
  const found: Pick<ObjectMeta, 'namespace' | 'name'>[] = [];
  if (kind === undefined) return found;
  const { cluster } = await begin();
  for (const namespace of config.namespaces ?? [undefined])
    await cluster.list(kind, { namespace, metadataOnly: true }, ({ metadata }) => {
      found.push(metadata);
    });
  return found;
}
