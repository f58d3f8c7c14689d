import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { defaultKinds } from '../../../shared/config/define-config.ts';
import { present } from '../../../shared/json.ts';
import { hasName, type Kind } from '../../../shared/kinds/kind.ts';
import type { AppliedObject, Reliability } from '../../../testing/index.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/print.ts';
import { showSteps } from '../output/progress.ts';

interface VerifyOptions {
  readonly seconds: number;
  readonly seed?: number;
  readonly given: readonly string[];
  readonly output: OutputFormat<'text'>;
}

interface Verified extends Partial<Reliability> {
  readonly kind: string;
  /** The broken law, with a test that shows it. */
  readonly broken?: string;
}

export function addVerify(program: Command, { terminal, config, exit }: Cli): void {
  program
    .command('verify')
    .argument('[kind...]', 'kinds to check; default: all kinds of the configuration')
    .summary('search for specs with which a kind breaks a law')
    .description(
      'Generates specs and sequences of edits from the schema of each kind, plays them on embedded clusters with crashes, stale reads, admission webhooks and refused writes, and prints a short test for the first broken law, such as "a second run writes nothing". Contacts no other cluster. Exits with 1 if a law is broken.',
    )
    .option('--seconds <number>', 'seconds to spend searching, per kind', wholeNumber(1), 60)
    .option('--seed <number>', 'seed of the search, to repeat it', wholeNumber(1))
    .option('--given <file...>', 'manifests to apply first, such as CRDs of custom children', [])
    .addOption(outputOption(['text']))
    .addHelpText('after', example('verify', 'verify KIND --seconds 300', 'verify KIND --seed 7'))
    .action(async (words: readonly string[], options: VerifyOptions) => {
      const reconciler = await config();
      const kinds = selected(defaultKinds(reconciler), words);
      const given = options.given.flatMap(manifestsIn);
      // Imports `testing` only here, because it loads the local cluster, which other commands do not need.
      const { expectReliable } = await import('../../../testing/index.ts');
      const steps = showSteps(terminal);
      const all: Verified[] = [];
      for (const { kind } of kinds) {
        const { seconds, seed } = options;
        const search = { kind, seconds, given, ...present({ seed }) };
        const onProgress = (tried: Reliability): void => steps.onStep(kind, figuresOf(tried));
        try {
          all.push({ kind, ...(await expectReliable(reconciler, { ...search, onProgress })) });
        } catch (error) {
          if (!(error instanceof Error && error.name === 'AssertionError')) throw error;
          all.push({ kind, broken: error.message });
        }
      }
      steps.stop();
      printOutput(terminal, options.output, { data: all, text: () => all.flatMap(linesOf) });
      exit(all.some(({ broken }) => broken !== undefined) ? exitCodes.failed : exitCodes.done);
    });
}

const figuresOf = ({ specs = 0, sequences = 0 }: Partial<Reliability>): string =>
  `${specs} specs, ${sequences} sequences on a cluster`;

const linesOf = ({ kind, broken, seed, ...tried }: Verified): readonly string[] =>
  broken === undefined
    ? [`${kind}: no law is broken; ${figuresOf(tried)}, seed ${seed}`]
    : [...broken.split('\n'), ''];

function selected(kinds: readonly Kind[], words: readonly string[]): readonly Kind[] {
  const strange = words.find((word) => !kinds.some((kind) => hasName(kind, word)));
  if (strange !== undefined)
    throw new UsageError(
      `there is no kind ${strange}; the configuration has ${kinds.map(({ kind }) => kind).join(', ')}`,
    );
  return words.length === 0
    ? kinds
    : kinds.filter((kind) => words.some((word) => hasName(kind, word)));
}

function manifestsIn(file: string): readonly AppliedObject[] {
  try {
    return parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS() as AppliedObject);
  } catch (error) {
    throw new UsageError(`--given ${file}: ${messageOf(error)}`);
  }
}
