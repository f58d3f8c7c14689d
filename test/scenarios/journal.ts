import { readLogLine } from '../../infra/log-line.ts';
import { objectOf, userOf } from '../../shared/audit/record.ts';
import { textAt, valueAt } from '../../shared/json.ts';

/** A write in the audit log of the cluster. */
export interface Write {
  readonly user: string;
  readonly verb: string;
  /** Resource such as `deployments` or `deployments/scale`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly code: number;
}

/** A log line of a function. */
export interface Line {
  readonly function: string;
  readonly severity: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** All writes to the cluster, without dry runs, and all log lines of the functions, oldest first. */
export interface Journal {
  readonly writes: readonly Write[];
  readonly lines: readonly Line[];
  hear(event: unknown): void;
  log(source: string, line: string): void;
}

export function createJournal(): Journal {
  const writes: Write[] = [];
  const lines: Line[] = [];
  return {
    writes,
    lines,
    hear(event) {
      const object = objectOf(event);
      if (object === undefined || textAt(event, 'stage') !== 'ResponseComplete') return;
      if (textAt(event, 'requestURI')?.includes('dryRun=All')) return;
      const { plural, subresource, namespace, name } = object;
      writes.push({
        user: userOf(event),
        verb: textAt(event, 'verb') ?? '',
        resource: subresource === undefined ? plural : `${plural}/${subresource}`,
        namespace,
        name,
        code: Number(valueAt(event, 'responseStatus', 'code')),
      });
    },
    log(source, text) {
      const { severity, message, ...fields } = readLogLine(text) ?? { message: text };
      lines.push({
        function: source,
        severity: String(severity ?? ''),
        message: String(message),
        fields,
      });
    },
  };
}
