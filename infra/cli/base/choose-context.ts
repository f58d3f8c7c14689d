import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import {
  type Kubeconfig,
  type KubeconfigEntry,
  readKubeconfig,
} from '../../../shared/cluster/credentials/kubeconfig.ts';
import { textAt, valueAt } from '../../../shared/json.ts';
import { settingsExtension } from '../../settings-extension.ts';
import { UsageError } from './command-errors.ts';
import type { Terminal } from './terminal.ts';

export interface ChosenContext {
  readonly name: string;
  readonly files: readonly string[];
  readonly namespace: string;
  /** Variables of the functions, which npm start writes into its kubeconfig: `{ KINDS: 'Website' }`. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface KubeOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/**
 * Chooses the context named by the options, else by CLUSTER_CONTEXT, else the kubeconfig's current context.
 *
 * Guarantees: with neither --kubeconfig nor KUBECONFIG, reads the kubeconfig of npm start. If that file is missing or
 * lacks the context, reads ~/.kube/config.
 */
export function chooseContext(terminal: Terminal, options: KubeOptions): ChosenContext {
  const variable = terminal.env.CLUSTER_CONTEXT?.trim() || undefined;
  const requested = options.context ?? variable;
  const files = filesOf(terminal, options, requested);
  const { contexts, currentContext } = read(files);
  if (contexts.length === 0)
    throw new UsageError(
      `kubeconfig ${files.join(', ')} has no context; choose another with --kubeconfig FILE`,
    );
  const chosen = requested ?? currentContext;
  const known = contexts.map(({ name }) => name).join(', ');
  if (chosen === '')
    throw new UsageError(
      `${files.join(', ')}: no current context; choose one with --context NAME (known contexts: ${known})`,
    );
  const found = contexts.find(({ name }) => name === chosen);
  if (found === undefined)
    throw new UsageError(
      `${originOf(options, variable)}: there is no context "${chosen}" in ${files.join(', ')}; known contexts: ${known}`,
    );
  const namespace = textAt(found.fields, 'namespace') ?? 'default';
  return { name: chosen, files, namespace, settings: settingsOf(found) };
}

function settingsOf({ fields: { extensions } }: KubeconfigEntry): Readonly<Record<string, string>> {
  const entries: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const entry = entries.find((one) => textAt(one, 'name') === settingsExtension);
  return (valueAt(entry, 'extension') ?? {}) as Readonly<Record<string, string>>;
}

const originOf = ({ context }: KubeOptions, variable: string | undefined): string =>
  context !== undefined
    ? '--context'
    : variable !== undefined
      ? 'CLUSTER_CONTEXT'
      : 'current-context';

/** Reports whether a context is from the kubeconfig of `npm start`, whose server exists only while it runs. */
export const isOfNpmStart = (
  { files }: Pick<ChosenContext, 'files'>,
  { localKubeconfig }: Pick<Terminal, 'localKubeconfig'>,
): boolean =>
  files.length === 1 &&
  files.some((file) => isLocalName(file) || resolve(file) === localKubeconfig);

/** Matches the kubeconfig of `npm start` in any project, because KUBECONFIG may point to another project. */
const isLocalName = (file: string): boolean => /(^|[/\\])\.local[/\\]kubeconfig$/.test(file);

export const askWhetherStarted =
  'is npm start still running? The local cluster exists only while it runs';

export async function contextNames(
  terminal: Terminal,
  options: KubeOptions,
): Promise<readonly string[]> {
  const files = givenFiles(terminal, options) ?? foundFiles(terminal);
  return files.length === 0 ? [] : read(files).contexts.map(({ name }) => name);
}

function filesOf(
  terminal: Terminal,
  options: KubeOptions,
  requested: string | undefined,
): readonly string[] {
  const given = givenFiles(terminal, options);
  if (given !== undefined) return given;
  const [first, second] = foundFiles(terminal);
  if (first === undefined)
    throw new UsageError(
      `no kubeconfig found: start the local cluster with npm start, set KUBECONFIG, create ${homeFile(terminal)} or give --kubeconfig FILE`,
    );
  const has = (file: string): boolean =>
    requested === undefined || read([file]).contexts.some(({ name }) => name === requested);
  return [second === undefined || has(first) ? first : second];
}

function givenFiles({ env }: Terminal, { kubeconfig }: KubeOptions): readonly string[] | undefined {
  if (kubeconfig !== undefined) return [kubeconfig];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return listed.length > 0 ? listed : undefined;
}

const foundFiles = (terminal: Terminal): readonly string[] =>
  [terminal.localKubeconfig, homeFile(terminal)].filter((file) => existsSync(file));

const homeFile = ({ env }: Terminal): string => join(env.HOME || homedir(), '.kube', 'config');

/** Merges kubeconfigs as kubectl does. Throws a UsageError if none exists; kubectl would connect to localhost:8080. */
function read(files: readonly string[]): Kubeconfig {
  const [first = ''] = files;
  if (!files.some((file) => existsSync(file))) {
    const remedy = isLocalName(first) ? `${askWhetherStarted}; or choose` : 'choose';
    throw new UsageError(
      `kubeconfig ${files.join(', ')} cannot be read: there is no such file; ${remedy} another with --kubeconfig FILE`,
    );
  }
  try {
    return readKubeconfig(files);
  } catch (error) {
    throw new UsageError(`kubeconfig ${messageOf(error)}; choose another with --kubeconfig FILE`);
  }
}
