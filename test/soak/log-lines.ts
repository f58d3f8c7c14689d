import { readLogLine } from '../../infra/log-line.ts';
import { textAt } from '../../shared/json.ts';

/** A summary of the log lines of the functions. */
export interface LogLines {
  readonly hear: (name: string, line: string) => void;
  /** Number of warnings and errors, by message. */
  readonly counts: ReadonlyMap<string, number>;
  /** The first lines of each of these messages. */
  readonly samples: ReadonlyMap<string, readonly string[]>;
  /** Lines that no fault of the cluster explains. */
  readonly unexpected: readonly string[];
}

/** Matches the lines that the framework's command prints at its start. */
const greeting = /^(Serving function\.\.\.|Function: |Signature type: |URL: )/;

/** Matches bugs of our own in any line. */
const mistakes =
  /\b(TypeError|RangeError|ReferenceError|SyntaxError|AssertionError)\b|Maximum call stack|[Uu]nhandled|heap out of memory|is not a function|Cannot read propert/;

const mostKept = 200;
const fewLines = 40;

export function collectLines(): LogLines {
  const counts = new Map<string, number>();
  const samples = new Map<string, string[]>();
  const unexpected: string[] = [];
  return {
    counts,
    samples,
    unexpected,
    hear(name, line) {
      if (greeting.test(line)) return;
      const entry = readLogLine(line);
      const severity = textAt(entry, 'severity') ?? '';
      const message = textAt(entry, 'message') ?? line.slice(0, 80);
      if (severity === 'WARNING' || severity === 'ERROR') {
        const count = (counts.get(message) ?? 0) + 1;
        counts.set(message, count);
        if (count <= fewLines) samples.set(message, [...(samples.get(message) ?? []), line]);
      }
      // Only an unexpected error, which returns 500, is logged with its stack.
      const isMistake = entry === undefined || mistakes.test(line) || 'stack' in entry;
      if (isMistake && unexpected.length < mostKept)
        unexpected.push(`${name}: ${line.slice(0, 400)}`);
    },
  };
}
