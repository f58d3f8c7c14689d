export type Severity = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

/** Writes lines of JSON, each with a constant message and its variables as fields. */
export interface Log {
  readonly debug: Line;
  readonly info: Line;
  readonly warning: Line;
  readonly error: Line;
  /** Writes the summary of a run, at severity INFO and whatever the log level: alerts and dashboards count these lines. */
  readonly summary: Line;
}

/** Returns a log that adds these fields to every line. */
export const withFields = (log: Log, fields: Readonly<Record<string, unknown>>): Log => ({
  debug: (message, more) => log.debug(message, { ...fields, ...more }),
  info: (message, more) => log.info(message, { ...fields, ...more }),
  warning: (message, more) => log.warning(message, { ...fields, ...more }),
  error: (message, more) => log.error(message, { ...fields, ...more }),
  summary: (message, more) => log.summary(message, { ...fields, ...more }),
});

export type Line = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

const order: readonly Severity[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR'];

/** `context` returns the fields that belong on every line about the current request. */
export function createLog(
  write: (line: string) => void,
  level: Severity,
  context: () => Readonly<Record<string, unknown>> = () => ({}),
): Log {
  const line =
    (severity: Severity, always = false): Line =>
    (message, fields = {}) => {
      if (!always && order.indexOf(severity) < order.indexOf(level)) return;
      const entry = Object.assign({ severity, message }, context(), fields, { severity, message });
      write(JSON.stringify(entry));
    };
  return {
    debug: line('DEBUG'),
    info: line('INFO'),
    warning: line('WARNING'),
    error: line('ERROR'),
    summary: line('INFO', true),
  };
}
