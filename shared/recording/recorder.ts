import type { Cluster, Key } from '../cluster/cluster.ts';
import { present } from '../json.ts';
import { secret } from '../kinds/child-types/core.ts';
import { groupResource, type KubeObject, type Manifest, type ResourceType } from '../kubernetes.ts';
import { recordedObject } from './masking.ts';
import {
  type AskLine,
  errorData,
  listKey,
  questionDigest,
  type ReadLine,
  type RecordedError,
  type WriteLine,
} from './recording.ts';

/** Maximum length of a recording, in characters. */
export const maxRecording = 64 * 1024 * 1024;

export interface Recorder {
  /** Returns a client that records its requests, except repeated lists. */
  readonly through: (cluster: Cluster) => Cluster;
  /** Lines of JSON, in the order of the responses. */
  readonly lines: readonly string[];
  readonly write: (line: string) => void;
  /** Reports whether the recording exceeded the limit. `lines` then has only its beginning. */
  readonly isTruncated: () => boolean;
}

interface Writer {
  readonly salt: string;
  readonly write: (line: object | string) => void;
  readonly charactersLeft: () => number;
  /**
   * Keys of recorded lists. A later response to the same list may show the run's own writes, so it is not
   * recorded.
   */
  readonly listed: Set<string>;
}

/**
 * Opens a recorder. It keeps no value of a Secret, and at most `limit` characters. If the same objects are listed
 * several times, it keeps the first complete list and earlier failures.
 */
export function openRecorder(salt: string, limit = maxRecording): Recorder {
  const lines: string[] = [];
  let charactersLeft = limit;
  const write = (line: object | string): void => {
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    charactersLeft -= text.length + 1;
    if (charactersLeft >= 0) lines.push(text);
  };
  const writer: Writer = { salt, write, charactersLeft: () => charactersLeft, listed: new Set() };
  const through = (cluster: Cluster) => recorded(cluster, writer);
  return { lines, write, isTruncated: () => charactersLeft < 0, through };
}

const recorded = (cluster: Cluster, writer: Writer): Cluster => ({
  traffic: cluster.traffic,
  withTimeout: (ms) => recorded(cluster.withTimeout(ms), writer),
  list: listThrough(cluster, writer),
  ...readsThrough(cluster, writer),
  ...writesThrough(cluster, writer),
});

const readsThrough = (cluster: Cluster, writer: Writer): Pick<Cluster, 'get' | 'getMetadata'> => {
  const { salt } = writer;
  const contentOf = (type: ResourceType, live: KubeObject | undefined) => ({
    object: live ? recordedObject(type, live, { salt, isReference: true }) : null,
  });
  return {
    get: (type, key) =>
      record(
        writer,
        { line: 'read', request: 'get', ...about(type, key) },
        {
          send: () => cluster.get(type, key),
          contentOf: (live) => contentOf(type, live),
        },
      ),
    getMetadata: (type, key) =>
      record(
        writer,
        { line: 'read', request: 'getMetadata', ...about(type, key) },
        {
          send: () => cluster.getMetadata(type, key),
          contentOf: (metadata) =>
            contentOf(type, metadata && { apiVersion: '', kind: type.kind, metadata }),
        },
      ),
  };
};

const writesThrough = (
  cluster: Cluster,
  writer: Writer,
): Pick<Cluster, 'apply' | 'create' | 'patch' | 'remove'> => ({
  apply(type, manifest, as) {
    const key = manifest.metadata;
    const send = () => cluster.apply(type, manifest, as);
    const ask = () => recordResponse(writer, { type, key, sent: manifest }, send);
    if (as.dryRun) return ask();
    const lock = lockOf(manifest);
    const isUpdate = as.subresource === undefined && lock !== 'absent';
    const line = { request: 'apply', ...about(type, key), ...as, ...present({ lock }) } as const;
    return recordWrite(writer, line, isUpdate ? ask : send);
  },
  create: (type, manifest) =>
    recordWrite(writer, { request: 'create', ...about(type, manifest.metadata) }, () =>
      cluster.create(type, manifest),
    ),
  patch(type, key, patch) {
    const { dryRun, operations: sent, resourceVersion: lock, ...how } = patch;
    const send = () => cluster.patch(type, key, patch);
    return dryRun
      ? recordResponse(writer, { type, key, sent }, send)
      : recordWrite(writer, { request: 'patch', ...about(type, key), ...how, lock }, send);
  },
  remove(type, key, preconditions) {
    const line = { request: 'delete', ...about(type, key) } as const;
    return recordWrite(writer, { ...line, lock: preconditions.resourceVersion }, () =>
      cluster.remove(type, key, preconditions),
    );
  },
});

const recordWrite = <T extends Pick<KubeObject, 'metadata'> | undefined>(
  writer: Writer,
  line: Omit<WriteLine, 'line' | 'resourceVersion' | 'error'>,
  send: () => Promise<T>,
): Promise<T> =>
  record(
    writer,
    { line: 'write', ...line },
    {
      send,
      contentOf: (written) => present({ resourceVersion: written?.metadata.resourceVersion }),
    },
  );

interface Sent {
  readonly type: ResourceType;
  readonly key: Key;
  readonly sent: Parameters<typeof questionDigest>[0];
}

/** Sends an update or a dry run, and records the response, which shows what the request changes. */
const recordResponse = (
  writer: Writer,
  { type, key, sent }: Sent,
  send: () => Promise<KubeObject>,
): Promise<KubeObject> =>
  record(
    writer,
    { line: 'asked', ...about(type, key), sent: questionDigest(sent) },
    {
      send,
      contentOf: (live) => ({
        object: recordedObject(type, live, { salt: writer.salt, isReference: false }),
      }),
    },
  );

/** Sends the request of a line, and records the line with the content of the response, or with the error. */
async function record<T>(
  { write }: Writer,
  line: Begun,
  { send, contentOf }: { send: () => Promise<T>; contentOf: (response: T) => object },
): Promise<T> {
  try {
    const response = await send();
    write({ ...line, ...contentOf(response) });
    return response;
  } catch (error) {
    const data = errorData(error);
    const isRefusedSecret = line.line !== 'read' && line.type === groupResource(secret);
    write({ ...line, error: isRefusedSecret ? withheld(data) : data });
    throw error;
  }
}

type Begun =
  | Pick<ReadLine, 'line' | 'request' | 'type'>
  | Omit<AskLine, 'object' | 'error'>
  | Omit<WriteLine, 'resourceVersion' | 'error'>;

const listThrough =
  (cluster: Cluster, { salt, write, charactersLeft, listed }: Writer): Cluster['list'] =>
  async (type, selection, each) => {
    const key = listKey(type, selection);
    if (listed.has(key)) return cluster.list(type, selection, each);
    const items: string[] = [];
    let size = 0;
    const isReference = selection.labels === undefined;
    const read = { line: 'read', request: 'list', type: groupResource(type), selection } as const;
    try {
      await cluster.list(type, selection, (live) => {
        // Skips the object if its line would exceed the limit, and be dropped anyway.
        if (size <= charactersLeft()) {
          const text = JSON.stringify(recordedObject(type, live, { salt, isReference }));
          items.push(text);
          size += text.length;
        }
        each(live);
      });
    } catch (error) {
      write({ ...read, error: errorData(error) } satisfies ReadLine);
      throw error;
    }
    if (listed.has(key)) return;
    listed.add(key);
    write(`${JSON.stringify(read).slice(0, -1)},"items":[${items.join(',')}]}`);
  };

const about = (type: ResourceType, { namespace, name }: Key) => ({
  type: groupResource(type),
  ...(namespace ? { namespace } : {}),
  name,
});

/** Returns the version to which an apply is locked: `absent` for a create, undefined without a lock. */
function lockOf({ metadata: { uid, resourceVersion } }: Manifest): string | undefined {
  if (uid === undefined && resourceVersion === '1') return 'absent';
  return typeof resourceVersion === 'string' ? resourceVersion : undefined;
}

/** Replaces the server's message about a refused Secret, and drops the causes: both may contain values. */
function withheld({ causes: _, ...error }: RecordedError): RecordedError {
  return { ...error, message: 'withheld because it may contain values of the Secret' };
}
