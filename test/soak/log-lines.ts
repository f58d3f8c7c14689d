import { readLogLine } from '../../infra/log-line.ts';
import { textAt } from '../../shared/json.ts';

/** What the functions logged. */
export interface LogLines {
  readonly hear: (name: string, line: string) => void;
  /** Warnings and errors by message. */
  readonly counts: ReadonlyMap<string, number>;
  /** The first few lines of each of these messages. */
  readonly samples: ReadonlyMap<string, readonly string[]>;
  /** Lines that no fault of the cluster leads to. */
  readonly unexpected: readonly string[];
}

/** What the framework's command says when it starts. */
const greeting = /^(Serving function\.\.\.|Function: |Signature type: |URL: )/;

/** Mistakes of our own, in whatever line they stand. */
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
      // An answer of 500 is the only failure that comes with a stack.
      const isMistake = entry === undefined || mistakes.test(line) || 'stack' in entry;
      if (isMistake && unexpected.length < mostKept)
        unexpected.push(`${name}: ${line.slice(0, 400)}`);
    },
  };
}
