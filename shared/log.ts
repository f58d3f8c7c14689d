export const severities = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type Severity = (typeof severities)[number];

/** Messages come from a fixed set; fields hold the values that vary. */
export interface Log {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warning: LogMethod;
  readonly error: LogMethod;
  /** Logs at INFO, whatever the log level: alerts and dashboards count these lines. */
  readonly summary: LogMethod;
}

export const withFields = (log: Log, fields: Readonly<Record<string, unknown>>): Log => ({
  debug: (message, more) => log.debug(message, { ...fields, ...more }),
  info: (message, more) => log.info(message, { ...fields, ...more }),
  warning: (message, more) => log.warning(message, { ...fields, ...more }),
  error: (message, more) => log.error(message, { ...fields, ...more }),
  summary: (message, more) => log.summary(message, { ...fields, ...more }),
});

type LogMethod = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** `context` returns fields for each line, such as the trace of the request. */
export function createLog(
  write: (line: string) => void,
  level: Severity,
  context: () => Readonly<Record<string, unknown>> = () => ({}),
): Log {
  const line =
    (severity: Severity, always = false): LogMethod =>
    (message, fields = {}) => {
      if (!always && severities.indexOf(severity) < severities.indexOf(level)) return;
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
