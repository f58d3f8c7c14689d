import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { isFields, type JsonFields, textAt, valueAt } from '../../json.ts';
import { messageOf } from '../cluster-errors.ts';

export interface KubeconfigEntry {
  readonly what: 'cluster' | 'user' | 'context';
  readonly name: string;
  readonly fields: JsonFields;
  /** The directory of the kubeconfig. Paths in the entry are relative to it. */
  readonly directory: string;
}

export interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: readonly KubeconfigEntry[];
  readonly users: readonly KubeconfigEntry[];
  readonly contexts: readonly KubeconfigEntry[];
}

/**
 * Merges kubeconfigs as kubectl does: of entries with the same name, the first wins. Skips missing and empty files,
 * which @kubernetes/client-node refuses.
 *
 * Guarantees: an error quotes nothing from a file except names of entries, because a line may contain a token.
 */
export function readKubeconfig(files: readonly string[] = defaultFiles()): Kubeconfig {
  const all = files.map(readFile);
  return {
    currentContext: all.map((one) => one.currentContext).find((name) => name !== '') ?? '',
    clusters: all.flatMap(({ clusters }) => clusters),
    users: all.flatMap(({ users }) => users),
    contexts: all.flatMap(({ contexts }) => contexts),
  };
}

function defaultFiles(): readonly string[] {
  // biome-ignore lint/style/noProcessEnv: the variables that kubectl reads.
  const { KUBECONFIG: listed, HOME: home } = process.env;
  if (listed) return listed.split(delimiter).filter((file) => file !== '');
  return [join(home || homedir(), '.kube', 'config')];
}

function readFile(file: string): Kubeconfig {
  try {
    const given = parse(file);
    const directory = resolve(dirname(file));
    return {
      currentContext: textAt(given, 'current-context') ?? '',
      clusters: entriesOf(given, 'cluster', directory),
      users: entriesOf(given, 'user', directory),
      contexts: entriesOf(given, 'context', directory),
    };
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${messageOf(cause)}`);
  }
}

function parse(file: string): JsonFields {
  const document = parseDocument(contentOf(file), { merge: true, logLevel: 'error' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const [{ line, col } = { line: 0, col: 0 }] = problem.linePos ?? [];
    const what = problem.code.toLowerCase().replaceAll('_', ' ');
    throw new Error(`${what} (line ${line}, column ${col})`);
  }
  const given = asJson(document) ?? {};
  if (!isFields(given)) throw new Error('it is not a kubeconfig');
  const { apiVersion = 'v1', kind = 'Config' } = given;
  if (apiVersion !== 'v1' || kind !== 'Config')
    throw new Error('its apiVersion must be v1 and its kind must be Config');
  return given;
}

/** Hides the parser's error, because it quotes the alias, which may be a password. */
function asJson(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    throw new Error('a YAML alias cannot be resolved; quote a string that begins with *');
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function entriesOf(given: JsonFields, what: KubeconfigEntry['what'], directory: string) {
  const list = `${what}s`;
  const all = given[list] ?? [];
  if (!Array.isArray(all)) throw new Error(`its field ${list} is not a list`);
  const names = new Set<string>();
  return all.map((one: unknown, at) => {
    const name = textAt(one, 'name');
    const fields = valueAt(one, what) ?? {};
    if (name === undefined) throw new Error(`${list}[${at}].name is missing`);
    if (!isFields(fields)) throw new Error(`${list}[${at}].${what} is not an object`);
    if (names.has(name)) throw new Error(`two ${list} have the name "${name}"`);
    names.add(name);
    return { what, name, fields, directory };
  });
}

export function textOf({ what, name, fields }: KubeconfigEntry, field: string): string | undefined {
  const value = fields[field] ?? '';
  if (typeof value !== 'string')
    throw new Error(`${field} of ${what} "${name}" is not a string; quote it`);
  return value === '' ? undefined : value;
}

export function filePath(entry: KubeconfigEntry, field: string): string | undefined {
  const path = textOf(entry, field);
  return path === undefined ? undefined : resolve(entry.directory, path);
}

/** Decodes `FIELD-data`, or reads the file that `FIELD` names. */
export function bytesOf(entry: KubeconfigEntry, field: string): Buffer | undefined {
  const data = textOf(entry, `${field}-data`);
  if (data !== undefined) return Buffer.from(data, 'base64');
  const path = filePath(entry, field);
  return path === undefined ? undefined : readFileSync(path);
}
