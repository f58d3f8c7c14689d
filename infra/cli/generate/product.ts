import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { type Config, parseConfig } from '../../../shared/config/config.ts';
import { present } from '../../../shared/json.ts';
import { legalHostLabel } from '../../../shared/kinds/names.ts';
import { yaml } from '../../generate/files.ts';
import { makeDirectory } from '../../make-directory.ts';
import type { Cli } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import { requireValidKinds } from '../base/require-valid-kinds.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/print.ts';

/** The output of a `generate` command: files and, if they can be printed, the same content as text and JSON. */
export interface Product {
  readonly files: ReadonlyMap<string, string>;
  readonly text?: string;
  readonly json?: unknown;
}

export interface OutputOptions {
  readonly out?: string;
  readonly output: OutputFormat;
}

export const withOutput = (command: Command): Command =>
  command
    .option('--out <dir>', 'write files into this directory instead of printing them')
    .addOption(
      outputOption(['text'], 'format of the generated text or, with --out, of the list of files'),
    );

export function requireOut({ out }: OutputOptions, what: string): string {
  if (out === undefined) throw new UsageError(`${what}, so it cannot be printed: give --out DIR`);
  return out;
}

export function requireNamespace(namespace: string): void {
  if (!legalHostLabel.test(namespace))
    throw new UsageError(
      `--namespace: "${namespace}" is not a namespace name; use lower-case letters, digits and dashes`,
    );
}

export const manifests = (made: ReadonlyMap<string, object>): Product => {
  const contents = new Map([...made].map(([path, manifest]) => [path, yaml(manifest)]));
  const items = [...made.values()];
  return {
    files: contents,
    text: [...contents.values()].join('---\n'),
    json: { apiVersion: 'v1', kind: 'List', items },
  };
};

export function printOrWrite(
  terminal: Terminal,
  { files, text = '', json }: Product,
  { out: directory, output }: OutputOptions,
): void {
  if (directory === undefined) {
    printOutput(terminal, output, {
      data: json,
      text: () => [{ ansi: text.replace(/\n$/, '') }],
    });
    return;
  }
  const written = [...files].map(([path, content]) => write(join(directory, path), content));
  printOutput(terminal, output, { data: written, text: () => written });
}

function write(file: string, content: string): string {
  try {
    makeDirectory(dirname(file));
    writeFileSync(file, content);
    return file;
  } catch (error) {
    throw new UsageError(`--out: ${file} cannot be written: ${messageOf(error)}`);
  }
}

/** Parses the configuration without a cluster. Throws a ConfigError if a kind has a problem. */
export async function settingsOf(
  { terminal, config }: Cli,
  { namespaces, ownIdentity }: { readonly namespaces?: string; readonly ownIdentity?: string } = {},
): Promise<Config> {
  if (namespaces !== undefined && namespaces.replaceAll(',', '').trim() === '')
    throw new UsageError('--namespaces: no name is given; omit the option for the whole cluster');
  const parsed = parseConfig(await config(), {
    ...terminal.env,
    ...present({ NAMESPACES: namespaces, OWN_IDENTITY: ownIdentity }),
    CLUSTER_CONTEXT: 'any',
    CLUSTER_ENDPOINT: '',
    CLUSTER_CA: '',
    CLUSTERS: '',
  });
  return { ...parsed, kinds: await requireValidKinds(terminal, parsed.kinds) };
}
