/** One request, as it was answered. */
export interface RequestRecord {
  readonly verb: string;
  /** Empty for non-resource paths: discovery, health, version. */
  readonly resource: string;
  readonly group: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: number;
  readonly user: string;
  readonly userAgent: string;
  readonly bytes: number;
  readonly path: string;
}

export interface RequestCount {
  readonly count: number;
  readonly bytes: number;
}

/** The requests since the start, or since the last reset. */
export interface RequestLog {
  readonly list: () => readonly RequestRecord[];
  /** Requests and bytes by `verb resource[/subresource]`. */
  readonly counts: () => Readonly<Record<string, RequestCount>>;
  readonly reset: () => void;
}

const maxKept = 50_000;

export function createRequestLog(): RequestLog & { readonly add: (one: RequestRecord) => void } {
  let records: RequestRecord[] = [];
  let counts: Record<string, RequestCount> = {};
  return {
    list: () => records,
    counts: () => counts,
    reset: () => {
      records = [];
      counts = {};
    },
    add: (record) => {
      records.push(record);
      if (records.length > 2 * maxKept) records = records.slice(-maxKept);
      const what = record.subresource === '' ? '' : `/${record.subresource}`;
      const key = `${record.verb} ${record.resource}${what}`;
      const { count, bytes } = counts[key] ?? { count: 0, bytes: 0 };
      counts[key] = { count: count + 1, bytes: bytes + record.bytes };
    },
  };
}
