import { createLog, type Log, type Severity } from '../../shared/log.ts';
import { printLines } from './print.ts';
import type { Stream } from './terminal.ts';

/** Human-readable lines: `warning: child failed, key=…`. */
export const humanLog = (stream: Stream, level: Severity): Log =>
  createLog((line) => {
    const { severity, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const details = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    printLines(stream, [[`${String(severity).toLowerCase()}: ${message}`, ...details].join(', ')]);
  }, level);
