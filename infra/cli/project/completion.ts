import { Argument, type Command, type Option } from 'commander';
import { defaultKinds } from '../../../shared/config/define-config.ts';
import { printable } from '../../../shared/printable.ts';
import { contextNames, type KubeOptions } from '../base/choose-context.ts';
import { type Cli, example } from '../base/cli.ts';

/** Shell scripts that run the hidden command `complete`, and complete file names if it prints no candidates. */
const completionScripts = {
  bash: `_reconciler() {
  local value
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _reconciler reconciler serverless-reconciler
`,
  zsh: `#compdef reconciler serverless-reconciler
_reconciler() {
  local value description
  local -a found
  while IFS=$'\\t' read -r value description; do
    found+=("\${value//:/\\\\:}:$description")
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe 'reconciler' found; else _files; fi
}
compdef _reconciler reconciler serverless-reconciler
`,
  fish: `function __reconciler_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c reconciler -c serverless-reconciler -f -a '(__reconciler_complete)'
complete -c reconciler -c serverless-reconciler -n 'test -z "$(__reconciler_complete)"' -F
`,
} as const;

export function addCompletion(program: Command, { terminal, config }: Cli): void {
  const shells = Object.keys(completionScripts) as readonly (keyof typeof completionScripts)[];
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(shells))
    .summary('print a script that completes commands on Tab')
    .description(
      'Prints a script for a shell, which then completes commands, options, kinds and contexts of `reconciler`. The command must be on the PATH (node_modules/.bin of a project).\n\nbash: source <(reconciler completion bash)\nzsh: source <(reconciler completion zsh), after compinit\nfish: reconciler completion fish | source',
    )
    .addHelpText('after', example('completion bash'))
    .action((shell: (typeof shells)[number]) => {
      terminal.out.write(completionScripts[shell]);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const kinds = async () => defaultKinds(await config()).map(({ kind }) => kind);
      const values: Values = {
        kind: kinds,
        resource: kinds,
        context: (given) => contextNames(terminal, given),
      };
      const found = await candidates(program, words, values).catch(() => []);
      for (const { value, description } of found)
        terminal.out.write(`${printable(value)}\t${printable(description)}\n`);
    });
}

interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Maps the name of an option or an argument to a function that lists its values. */
type Values = Readonly<Record<string, (given: KubeOptions) => Promise<readonly string[]>>>;

/** Completes the last of these words, which may be empty. */
async function candidates(
  program: Command,
  words: readonly string[],
  values: Values,
): Promise<readonly Candidate[]> {
  const { command, pending, given, count } = walk(program, words.slice(0, -1));
  // Drops a lone `=`, which bash passes as a separate word.
  const last = (words.at(-1) ?? '').replace(/^=$/, '');
  const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  const option = pending ?? optionNamed(program, command, name);
  const fitting = (all: readonly Candidate[], start: string): readonly Candidate[] =>
    all.filter((one) => one.value.startsWith(start));
  if (option !== undefined) {
    const all = option.argChoices ?? (await values[option.attributeName()]?.(given)) ?? [];
    const start = pending === undefined ? `${name}=` : '';
    return fitting(plain(all), value ?? last).map((one) => ({ ...one, value: start + one.value }));
  }
  if (last.startsWith('-')) return fitting(optionsOf(program, command), last);
  const help = command.createHelp();
  const commands = help.visibleCommands(command).map((one) => ({
    value: one.name(),
    description: one.summary() || one.description(),
  }));
  const argument = command.registeredArguments[count];
  const choices = argument?.argChoices ?? (await values[argument?.name() ?? '']?.(given)) ?? [];
  return fitting([...(command.commands.length > 0 ? commands : []), ...plain(choices)], last);
}

const plain = (values: readonly string[]): readonly Candidate[] =>
  values.map((value) => ({ value, description: '' }));

/** Returns the number of arguments so far as `count`, and the option whose value comes next as `pending`. */
function walk(program: Command, words: readonly string[]) {
  let command = program;
  let pending: Option | undefined;
  let given: KubeOptions = {};
  let count = 0;
  for (const word of words) {
    if (pending !== undefined) {
      if (word === '=') continue;
      if (pending.long === '--kubeconfig') given = { kubeconfig: word };
      pending = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', value] = word.split('=', 2);
      const option = optionNamed(program, command, name);
      if (option?.long === '--kubeconfig' && value !== undefined) given = { kubeconfig: value };
      if (value === undefined && (option?.required || option?.optional)) pending = option;
    } else {
      const inner = command.commands.find((one) => one.name() === word);
      if (inner === undefined) count += 1;
      else command = inner;
    }
  }
  return { command, pending, given, count };
}

const optionNamed = (program: Command, command: Command, name: string): Option | undefined =>
  [...command.options, ...program.options].find(({ short, long }) => [short, long].includes(name));

function optionsOf(program: Command, command: Command): readonly Candidate[] {
  const visible = (one: Command) => one.createHelp().visibleOptions(one);
  return [...new Set([...visible(command), ...visible(program)])].flatMap(
    ({ short, long, description }) =>
      [long, short].flatMap((value) => (value == null ? [] : [{ value, description }])),
  );
}
