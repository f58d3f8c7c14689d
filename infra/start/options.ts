import { parseArgs } from 'node:util';
import { intervalForms, intervalMs } from '../interval.ts';
import { StartError } from './functions/start-error.ts';

export class OptionError extends StartError {
  override readonly name = 'OptionError';
}

export interface StartOptions {
  readonly help: boolean;
  /** The kubeconfig context to use instead of the embedded cluster. */
  readonly context: string | undefined;
  readonly samples: boolean;
  readonly audit: boolean;
  /** Reloads the kinds when their files change. */
  readonly watch: boolean;
  /** Prints the plan of a changed kind, and waits for Enter before it is applied. */
  readonly pause: boolean;
  readonly intervalSeconds: number;
  readonly apiPort: number;
  readonly resyncPort: number;
  readonly auditPort: number;
  readonly pagePort: number;
  /** False without --chaos. If the seed is undefined, a random seed is used. */
  readonly chaos: false | { readonly seed: number | undefined };
}

const longestMs = 86_400_000;

export const usage = `npm start -- [options]

Starts an embedded Kubernetes cluster, both functions, a clock for resyncs, an audit relay and a dashboard.

  --context NAME      use a context of your kubeconfig instead of the embedded cluster
  --no-samples        start without the sample resources
  --no-watch          do not reload the kinds when their files change
  --pause             print the plan of each change, and apply it only after Enter
  --no-audit          start without the audit relay, so that changes wait for the next resync
  --interval TIME     time between resyncs, such as 90s, 5m or 2h (10s)
  --api-port PORT     port of the embedded API server (6443)
  --resync-port PORT  port of the resync function (8080)
  --audit-port PORT   port of the audit function (8081)
  --page-port PORT    port of the dashboard (8090)
  --chaos [SEED]      at random, fail requests of the functions, and edit and delete children
  -h, --help          print this text
`;

/** Throws an OptionError that names the invalid option. */
export function parseOptions(args: readonly string[]): StartOptions {
  const { values } = parse(args.flatMap((arg, index) => chaosArgument(arg, args[index - 1])));
  if (values.chaos !== undefined && values.context !== undefined) {
    throw new OptionError('--chaos works on the embedded cluster only, not with --context');
  }
  if (values.pause && values['no-watch']) {
    throw new OptionError(
      '--pause waits for Enter after a file has changed, but with --no-watch changes are not noticed: omit one of these options',
    );
  }
  const options: StartOptions = {
    help: values.help,
    context: values.context,
    samples: !values['no-samples'],
    audit: !values['no-audit'],
    watch: !values['no-watch'],
    pause: values.pause,
    intervalSeconds: seconds(values.interval),
    apiPort: port('api-port', values['api-port']),
    resyncPort: port('resync-port', values['resync-port']),
    auditPort: port('audit-port', values['audit-port']),
    pagePort: port('page-port', values['page-port']),
    chaos: chaos(values.chaos),
  };
  const typed = new Set(args.map((arg) => arg.split('=')[0] ?? ''));
  assertDistinctPorts(options, typed);
  return options;
}

const ports = {
  apiPort: '--api-port',
  resyncPort: '--resync-port',
  auditPort: '--audit-port',
  pagePort: '--page-port',
} as const;

/** With --context, compares only the ports of the functions. */
function assertDistinctPorts(options: StartOptions, typed: ReadonlySet<string>): void {
  const taken = new Map<number, string>();
  for (const [key, option] of Object.entries(ports)) {
    const isNeeded = options.context === undefined || key === 'resyncPort' || key === 'auditPort';
    if (!isNeeded) continue;
    const port = options[key as keyof typeof ports];
    const other = taken.get(port);
    if (other !== undefined) {
      const [given = option, unset = other] = typed.has(option) ? [option, other] : [other, option];
      throw new OptionError(
        typed.has(unset)
          ? `${other} and ${option} are both ${port}: give each a port of its own`
          : `${given}: ${port} is the default of ${unset}: choose another port, or set ${unset} as well`,
      );
    }
    taken.set(port, option);
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        context: { type: 'string' },
        'no-samples': { type: 'boolean', default: false },
        'no-watch': { type: 'boolean', default: false },
        pause: { type: 'boolean', default: false },
        'no-audit': { type: 'boolean', default: false },
        chaos: { type: 'string' },
        interval: { type: 'string', default: '10s' },
        'api-port': { type: 'string', default: '6443' },
        'resync-port': { type: 'string', default: '8080' },
        'audit-port': { type: 'string', default: '8081' },
        'page-port': { type: 'string', default: '8090' },
      },
    });
  } catch (error) {
    // Cuts off Node's advice about positional arguments.
    const [message] = (error as Error).message.split('. To specify');
    throw new OptionError(`${message}\n\n${usage}`);
  }
}

/** Turns `--chaos 7` into `--chaos=7`, and `--chaos` into `--chaos=`: the parser does not support optional values. */
function chaosArgument(arg: string, before: string | undefined): string[] {
  if (arg === '--chaos') return ['--chaos='];
  if (before === '--chaos' && !arg.startsWith('-')) return [`--chaos=${arg}`];
  return [arg];
}

function chaos(text: string | undefined): StartOptions['chaos'] {
  if (text === undefined) return false;
  if (text === '') return { seed: undefined };
  return { seed: number('chaos', text, { least: 0, most: 2 ** 32 - 1 }) };
}

function seconds(text: string): number {
  const ms = intervalMs(text);
  if (ms !== undefined && ms <= longestMs) return ms / 1_000;
  throw new OptionError(
    `--interval: "${text}" is not an interval between 1s and 24h; ${intervalForms}`,
  );
}

function port(name: string, text: string): number {
  return number(name, text, { least: 1, most: 65_535 });
}

function number(
  name: string,
  text: string,
  { least, most }: { least: number; most: number },
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new OptionError(`--${name}: "${text}" is not a whole number from ${least} to ${most}`);
}
