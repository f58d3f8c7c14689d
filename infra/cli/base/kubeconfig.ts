import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { messageOf } from '../../../shared/cluster/errors.ts';
import { settingsExtension } from '../../settings-extension.ts';
import { UsageError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** One context of a kubeconfig, as far as a command needs to know it. */
export interface ChosenContext {
  readonly name: string;
  readonly files: readonly string[];
  readonly namespace: string;
  /** The configuration of the functions on that cluster, where the context contains it. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface KubeOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/**
 * The context that the options, else the environment, else the kubeconfig choose.
 *
 * Guarantees: the kubeconfig of npm start is passed over for the user's own where it lacks the context,
 * or its server has stopped.
 */
export async function chooseContext(
  terminal: Terminal,
  options: KubeOptions,
): Promise<ChosenContext> {
  const variable = terminal.env.CLUSTER_CONTEXT?.trim() || undefined;
  const asked = options.context ?? variable;
  const files = await filesOf(terminal, options, asked);
  const read = files.map(readKubeconfig);
  const chosen = asked ?? read.map((file) => file['current-context']).find((name) => name);
  const contexts = read.flatMap((file) => file.contexts ?? []);
  const known = contexts.map(({ name }) => name).join(', ') || 'none';
  if (chosen === undefined || chosen === '')
    throw new UsageError(
      `${files.join(', ')}: no current context; choose one with --context NAME (known contexts: ${known})`,
    );
  const found = contexts.find(({ name }) => name === chosen);
  if (found === undefined)
    throw new UsageError(
      `${originOf(options, variable)}: there is no context "${chosen}" in ${files.join(', ')}; known contexts: ${known}`,
    );
  const { namespace, extensions = [] } = found.context ?? {};
  const settings = extensions.find(({ name }) => name === settingsExtension)?.extension ?? {};
  return { name: chosen, files, namespace: namespace || 'default', settings };
}

const originOf = ({ context }: KubeOptions, variable: string | undefined): string =>
  context !== undefined
    ? '--context'
    : variable !== undefined
      ? 'CLUSTER_CONTEXT'
      : 'current-context';

/** True for the kubeconfig of `npm start`, whose server exists only while that runs. */
export const isOfNpmStart = (
  { files }: Pick<ChosenContext, 'files'>,
  { localKubeconfig }: Pick<Terminal, 'localKubeconfig'>,
): boolean =>
  files.length === 1 &&
  files.some((file) => isLocalName(file) || resolve(file) === localKubeconfig);

/** True for the kubeconfig of `npm start` in this project or, through KUBECONFIG, in another one. */
const isLocalName = (file: string): boolean => /(^|[/\\])\.local[/\\]kubeconfig$/.test(file);

export const askWhetherStarted =
  'is npm start still running? The local cluster exists only while it runs';

/** The names of the contexts that `--context` may choose. */
export async function contextNames(
  terminal: Terminal,
  options: KubeOptions,
): Promise<readonly string[]> {
  const given = givenFiles(terminal, options);
  const files = given ?? foundFiles(terminal);
  return files.flatMap((file) => (readKubeconfig(file).contexts ?? []).map(({ name }) => name));
}

async function filesOf(
  terminal: Terminal,
  options: KubeOptions,
  asked: string | undefined,
): Promise<readonly string[]> {
  const given = givenFiles(terminal, options);
  if (given !== undefined) return given;
  const found = foundFiles(terminal);
  const [first, second] = found;
  if (first === undefined)
    throw new UsageError(
      `no kubeconfig found: start the local cluster with npm start, set KUBECONFIG, create ${homeFile(terminal)} or give --kubeconfig FILE`,
    );
  if (second === undefined) return [first];
  const has = (file: string): boolean =>
    asked === undefined || (readKubeconfig(file).contexts ?? []).some(({ name }) => name === asked);
  if (!has(first)) return [second];
  return has(second) && !(await isServed(first)) ? [second] : [first];
}

function givenFiles({ env }: Terminal, { kubeconfig }: KubeOptions): readonly string[] | undefined {
  if (kubeconfig !== undefined) return [kubeconfig];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return listed.length > 0 ? listed : undefined;
}

const foundFiles = (terminal: Terminal): readonly string[] =>
  [terminal.localKubeconfig, homeFile(terminal)].filter((file) => existsSync(file));

const homeFile = ({ env }: Terminal): string => join(env.HOME || homedir(), '.kube', 'config');

/** True if the server of npm start, which is on this machine, accepts connections. */
function isServed(file: string): Promise<boolean> {
  const [server] = (readKubeconfig(file).clusters ?? []).map((one) => one.cluster?.server);
  if (server === undefined || !URL.canParse(server)) return Promise.resolve(false);
  const { hostname, port } = new URL(server);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname, port: Number(port), timeout: 1_000 });
  socket.once('connect', () => resolve(true));
  for (const event of ['error', 'timeout']) socket.once(event, () => resolve(false));
  return promise.finally(() => socket.destroy());
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly clusters?: readonly { readonly cluster?: { readonly server?: string } }[];
  readonly contexts?: readonly {
    readonly name: string;
    readonly context?: {
      readonly namespace?: string;
      readonly extensions?: readonly {
        readonly name?: string;
        readonly extension?: Readonly<Record<string, string>>;
      }[];
    };
  }[];
}

function readKubeconfig(file: string): Kubeconfig {
  try {
    const value: unknown = parse(readFileSync(file, 'utf8'), { logLevel: 'error' });
    if (typeof value === 'object' && value !== null) return value as Kubeconfig;
  } catch (error) {
    const why = error instanceof YAMLParseError ? whereOf(error) : messageOf(error);
    const isGone = isLocalName(file) && !existsSync(file);
    const remedy = isGone ? `${askWhetherStarted}; or choose` : 'choose';
    throw new UsageError(
      `kubeconfig ${file} cannot be read: ${why}; ${remedy} another with --kubeconfig FILE`,
    );
  }
  throw new UsageError(`kubeconfig ${file} is empty; choose another with --kubeconfig FILE`);
}

/** The parser's own message quotes the lines around a mistake, and one of them may be a token. */
function whereOf({ code, linePos }: YAMLParseError): string {
  const [{ line, col } = { line: 0, col: 0 }] = linePos ?? [];
  return `${code.toLowerCase().replaceAll('_', ' ')} (line ${line}, column ${col})`;
}
