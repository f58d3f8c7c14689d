import { printable } from '../../shared/printable.ts';

/** Turns what the functions log (one JSON object a line) into readable lines. */
export interface Narrator {
  readonly say: (who: string, text: string) => void;
  readonly printLog: (who: string, line: string) => void;
  /** The last lines, newest last. */
  readonly lines: () => readonly string[];
}

const kept = 200;

export function createNarrator(write: (text: string) => void, now: () => Date): Narrator {
  let lastQuiet = '';
  const lines: string[] = [];
  const say = (who: string, text: string): void => {
    const time = now().toTimeString().slice(0, 8);
    // Untrusted text must not look like a line of ours.
    const words = printable(text).replaceAll('\n', `\n${' '.repeat(18)}`);
    const line = `${time}  ${who.padEnd(7)} ${words}\n`;
    lines.push(line);
    if (lines.length > kept) lines.shift();
    write(line);
  };
  return {
    say,
    lines: () => lines,
    printLog(who, line) {
      const text = lineOf(line);
      if (text === undefined) return;
      // The same "nothing to do" again and again is noise.
      const quiet = text.endsWith(nothing) ? text : '';
      if (quiet !== '' && quiet === lastQuiet) return;
      if (who === 'tick') lastQuiet = quiet;
      say(who, text);
    },
  };
}

const nothing = 'nothing to do';

interface Line {
  readonly message?: string;
  readonly key?: string;
  readonly child?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly changes?: readonly string[];
  readonly trigger?: string;
  readonly resources?: { readonly total: number; readonly reconciled: number };
  readonly durationMs?: number;
}

/** The readable line for a log line, if there is one. */
export function lineOf(text: string): string | undefined {
  const line = parse(text);
  if (line === undefined) return text;
  const { message = '', key, child, reason, error, changes } = line;
  if (message === 'resynced') return summary(line);
  if (child === undefined)
    return [message, key, reason, error].filter((part) => part !== undefined).join(': ');
  const what = `${key}: ${child} ${message.replace('child ', '')}`;
  const why = changes?.length ? changes.join('; ') : error;
  return why === undefined ? what : `${what}: ${why}`;
}

function summary({ trigger, resources, durationMs }: Line): string | undefined {
  if (resources === undefined || trigger === 'audit') return undefined;
  return resources.reconciled === 0
    ? `${resources.total} resources, ${nothing}`
    : `${resources.reconciled} of ${resources.total} resources reconciled in ${durationMs} ms`;
}

function parse(text: string): Line | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
