import type { styleText } from 'node:util';
import type { Origin } from '../../../shared/plan/decision/origin.ts';
import { printable } from '../../../shared/printable.ts';
import { readLogLine } from '../../log-line.ts';
import { because } from '../../origin-text.ts';
import { commandName } from '../../package-root.ts';

/** Prints the functions' log, one JSON object per line, as readable lines. */
export interface Narrator {
  readonly say: (who: string, text: string) => void;
  readonly printLog: (who: string, line: string) => void;
}

interface NarratorOptions {
  /** Colours a text for a terminal; default: none. */
  readonly paint?: (format: Format, text: string) => string;
  /** True if lines can be overwritten. */
  readonly isTerminal?: boolean;
}

type Format = Parameters<typeof styleText>[0];

/** The minimum time between identical "nothing to do" lines if the output is not a terminal. */
const quietMs = 10 * 60_000;
const clearLine = '\r\u001b[K';

/**
 * Guarantees: a problem, such as a failed child or a type that cannot be listed, is reported once. It is reported again
 * if its reason changes, or after a resync without the problem. On a terminal, a line "nothing to do" replaces the
 * previous such line; elsewhere, an identical line is printed only every ten minutes.
 */
export function createNarrator(
  write: (text: string) => void,
  now: () => Date,
  { paint = (_, text) => text, isTerminal = false }: NarratorOptions = {},
): Narrator {
  let isOpen = false;
  const print = (who: string, text: string, { format, isTransient = false }: Style = {}): void => {
    const time = now().toTimeString().slice(0, 8);
    // Indents all but the first line, because text from the cluster could otherwise look like our own line.
    const words = printable(text).replaceAll('\n', `\n${' '.repeat(18)}`);
    const shown = `${paint('dim', time)}  ${paint('cyan', who.padEnd(7))} ${format === undefined ? words : paint(format, words)}`;
    write(`${isOpen ? (isTransient ? clearLine : '\n') : ''}${shown}${isTransient ? '' : '\n'}`);
    isOpen = isTransient;
  };
  const problems = createMemory();
  let quiet: { readonly text: string; readonly at: number } | undefined;
  const printQuiet = (text: string): void => {
    const at = now().getTime();
    if (!isTerminal && quiet?.text === text && at - quiet.at < quietMs) return;
    quiet = { text, at };
    print('resync', text, { format: 'dim', isTransient: isTerminal });
  };
  return {
    say: (who, text) => print(who, text),
    printLog(who, text) {
      const line = readLogLine(text) as Line | undefined;
      if (line?.message === 'resynced') {
        const found = summary(line);
        if (found === undefined) return;
        const isCalm = problems.endResync();
        if (isCalm) return printQuiet(found.calm);
        quiet = undefined;
        return print(who, found.busy);
      }
      if (line !== undefined && problems.isKnown(who, line)) return;
      print(who, line === undefined ? text : inWords(line), { format: formatOf(line) });
    },
  };
}

interface Style {
  readonly format?: Format | undefined;
  /** True if the next transient line replaces this line. */
  readonly isTransient?: boolean;
}

function createMemory() {
  let [lastResync, thisResync] = [new Map<string, string>(), new Map<string, string>()];
  let isCalm = true;
  return {
    isKnown(who: string, line: Line): boolean {
      const { key = '', child = '', message = '', kind = '', type = '' } = line;
      const about = `${key} ${child} ${kind} ${type}`;
      const text = inWords(line);
      const isProblem = /failed|blocked|skipped|not (listed|reconciled|served)$/.test(message);
      const isKnown = isProblem && (thisResync.get(about) ?? lastResync.get(about)) === text;
      if (isProblem) thisResync.set(about, text);
      else for (const map of [lastResync, thisResync]) map.delete(about);
      if (who === 'resync' && !isKnown) isCalm = false;
      return isKnown;
    },
    /** Returns true if the resync logged nothing but known problems. */
    endResync(): boolean {
      [lastResync, thisResync] = [thisResync, new Map()];
      const was = isCalm;
      isCalm = true;
      return was;
    },
  };
}

interface Line {
  readonly message?: string;
  readonly severity?: string;
  readonly key?: string;
  readonly child?: string;
  readonly kind?: string;
  readonly type?: string;
  /** The child as kubectl writes it: `deployment.apps/shop` */
  readonly object?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly changes?: readonly string[];
  readonly origin?: Origin;
  readonly trigger?: string;
  readonly resources?: { readonly total: number; readonly reconciled: number };
  readonly durationMs?: number;
}

export function lineOf(text: string): string {
  const line = readLogLine(text) as Line | undefined;
  return line === undefined ? text : inWords(line);
}

function inWords(line: Line): string {
  const { message = '', key, child, object, reason, error, changes } = line;
  if (child === undefined)
    return [message, key, reason, error].filter((part) => part !== undefined).join(': ');
  const what = `${object ?? child} ${message.replace('child ', '')} for ${key}${causeOf(line)}`;
  const why = changes?.length ? changes.join('; ') : error;
  return why === undefined ? what : `${what}: ${why}`;
}

/** Empty for drift, because the text already names the writer. */
function causeOf({ message, origin }: Line): string {
  const isChange = message === 'child updated' || message === 'child deleted';
  return !isChange || origin === undefined || origin === 'drift' ? '' : `, ${because(origin)}`;
}

function formatOf(line: Line | undefined): Format | undefined {
  if (line === undefined || line.severity === 'ERROR') return 'red';
  if (line.severity === 'WARNING') return 'yellow';
  if (line.message === 'child deleted') return 'magenta';
  return line.child === undefined ? undefined : 'green';
}

/** Returns two texts: `calm` for a resync that logged only known problems, `busy` for any other resync. */
function summary({ trigger, resources, durationMs }: Line) {
  if (resources === undefined || trigger === 'audit') return undefined;
  const { total, reconciled } = resources;
  const all = `${total} resource${total === 1 ? '' : 's'}`;
  return {
    busy: `${reconciled} of ${all} reconciled in ${durationMs} ms`,
    calm:
      reconciled === 0
        ? `${all}, nothing to do`
        : `${all}, ${reconciled} still not up to date: see ${commandName} status`,
  };
}
