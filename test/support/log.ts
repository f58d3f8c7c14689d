import { type LogLine, readLogLine } from '../../infra/log-line.ts';
import { createLog, type Log, type Severity } from '../../shared/log.ts';

/** A log whose lines are kept, as they are read. */
export const logInto = (lines: LogLine[], level: Severity): Log =>
  createLog((line) => lines.push(readLogLine(line)!), level);
