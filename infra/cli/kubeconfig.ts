import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { messageOf } from '../../shared/cluster/errors.ts';
import { settingsExtension } from '../settings-extension.ts';
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

/** The context that the options, else the environment, else the kubeconfig choose. */
export function chooseContext(terminal: Terminal, options: KubeOptions): ChosenContext {
  const files = filesOf(terminal, options);
  const read = files.map(readKubeconfig);
  const chosen =
    options.context ??
    (terminal.env.CLUSTER_CONTEXT?.trim() ||
      read.map((file) => file['current-context']).find((name) => name));
  const contexts = read.flatMap((file) => file.contexts ?? []);
  const known = contexts.map(({ name }) => name).join(', ') || 'none';
  if (chosen === undefined || chosen === '')
    throw new UsageError(
      `${files.join(', ')}: no current context; choose one with --context NAME (known contexts: ${known})`,
    );
  const found = contexts.find(({ name }) => name === chosen);
  if (found === undefined)
    throw new UsageError(
      `--context: there is no context "${chosen}" in ${files.join(', ')}; known contexts: ${known}`,
    );
  const { namespace, extensions = [] } = found.context ?? {};
  const settings = extensions.find(({ name }) => name === settingsExtension)?.extension ?? {};
  return { name: chosen, files, namespace: namespace || 'default', settings };
}

function filesOf(
  { env, localKubeconfig }: Terminal,
  { kubeconfig }: KubeOptions,
): readonly string[] {
  if (kubeconfig !== undefined) return [kubeconfig];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return listed;
  const home = join(env.HOME || homedir(), '.kube', 'config');
  const found = [localKubeconfig, home].find((file) => existsSync(file));
  if (found !== undefined) return [found];
  throw new UsageError(
    `no kubeconfig found: start the local cluster with npm start, set KUBECONFIG, create ${home} or give --kubeconfig FILE`,
  );
}

interface Kubeconfig {
  readonly 'current-context'?: string;
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
    throw new UsageError(`kubeconfig ${file} cannot be read: ${why}`);
  }
  throw new UsageError(`kubeconfig ${file} is empty; choose another with --kubeconfig FILE`);
}

/** The parser's own message quotes the lines around a mistake, and one of them may be a token. */
function whereOf({ code, linePos }: YAMLParseError): string {
  const [{ line, col } = { line: 0, col: 0 }] = linePos ?? [];
  return `${code.toLowerCase().replaceAll('_', ' ')} (line ${line}, column ${col})`;
}
