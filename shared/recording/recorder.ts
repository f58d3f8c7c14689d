import type { Cluster, Key } from '../cluster/cluster.ts';
import { present } from '../json.ts';
import { secret } from '../kinds/child-types/core.ts';
import {
  groupResource,
  isSameType,
  type JsonObject,
  type KubeObject,
  type Manifest,
  type ResourceType,
} from '../kubernetes.ts';
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

/** Limit of a recording, in characters. */
export const maxRecording = 64 * 1024 * 1024;

export interface Recorder {
  /** Returns a client that records each request. */
  readonly through: (cluster: Cluster) => Cluster;
  /** Lines of JSON, in the order of the responses. */
  readonly lines: readonly string[];
  readonly write: (line: string) => void;
  /** Reports whether the limit was exceeded, so that `lines` has only the beginning of the recording. */
  readonly isTruncated: () => boolean;
}

interface Writer {
  readonly salt: string;
  readonly write: (line: object | string) => void;
  readonly charactersLeft: () => number;
  /** Keys of recorded lists. Further responses to these show the run's own writes, so they are not recorded. */
  readonly listed: Set<string>;
}

/**
 * Opens a recorder. It keeps no value of a Secret, and at most `limit` characters. If the same objects are listed
 * several times, it keeps the first complete list and the failures before it.
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
  return {
    lines,
    write,
    isTruncated: () => charactersLeft < 0,
    through: (cluster) => recorded(cluster, writer),
  };
}

const recorded = (cluster: Cluster, writer: Writer): Cluster => ({
  traffic: cluster.traffic,
  withTimeout: (ms) => recorded(cluster.withTimeout(ms), writer),
  list: listThrough(cluster, writer),
  ...readsThrough(cluster, writer),
  ...writesThrough(cluster, writer),
});

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
        // A line beyond the limit would be dropped.
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

const readsThrough = (
  cluster: Cluster,
  { salt, write }: Writer,
): Pick<Cluster, 'get' | 'getMetadata'> => {
  const recordRead = async <T>(
    request: 'get' | 'getMetadata',
    { type, key }: { readonly type: ResourceType; readonly key: Key },
    read: () => Promise<T>,
    asObject: (response: T & object) => object,
  ): Promise<T> => {
    const line = { line: 'read', request, type: groupResource(type), ...named(key) } as const;
    try {
      const response = await read();
      const isThere = typeof response === 'object' && response !== null;
      write({ ...line, object: isThere ? asObject(response) : null });
      return response;
    } catch (error) {
      write({ ...line, error: errorData(error) } satisfies ReadLine);
      throw error;
    }
  };
  const options = { salt, isReference: true };
  return {
    get: (type, key) =>
      recordRead(
        'get',
        { type, key },
        () => cluster.get(type, key),
        (live) => recordedObject(type, live, options),
      ),
    getMetadata: (type, key) =>
      recordRead(
        'getMetadata',
        { type, key },
        () => cluster.getMetadata(type, key),
        (metadata) => recordedObject(type, { apiVersion: '', kind: type.kind, metadata }, options),
      ),
  };
};

const named = ({ namespace, name }: Key): Key => ({ ...(namespace ? { namespace } : {}), name });

const writesThrough = (
  cluster: Cluster,
  writer: Writer,
): Pick<Cluster, 'apply' | 'create' | 'patch' | 'remove'> => ({
  apply(type, manifest, as) {
    const line = {
      request: 'apply',
      ...named(manifest.metadata),
      ...as,
      ...lockOf(manifest),
    } as const;
    const asked = { type, key: manifest.metadata, sent: manifest };
    const apply = () => cluster.apply(type, manifest, as);
    const ask = () => recordResponse(writer, asked, apply);
    if (as.dryRun) return ask();
    const isUpdate = as.subresource === undefined && line.lock !== 'absent';
    return recordWrite(writer, { type, line }, isUpdate ? ask : apply);
  },
  create: (type, manifest) =>
    recordWrite(writer, { type, line: { request: 'create', ...named(manifest.metadata) } }, () =>
      cluster.create(type, manifest),
    ),
  patch(type, key, patch) {
    const send = () => cluster.patch(type, key, patch);
    if (patch.dryRun) return recordResponse(writer, { type, key, sent: patch.operations }, send);
    const { manager, resourceVersion: lock, subresource } = patch;
    const line = { request: 'patch', ...named(key), ...present({ subresource }), manager, lock };
    return recordWrite(writer, { type, line: line as WrittenLine }, send);
  },
  remove(type, key, preconditions) {
    const line = { request: 'delete', ...named(key), lock: preconditions.resourceVersion } as const;
    return recordWrite(writer, { type, line }, () => cluster.remove(type, key, preconditions));
  },
});

type WrittenLine = Omit<WriteLine, 'line' | 'type' | 'resourceVersion' | 'error'>;

async function recordWrite<
  T extends { readonly metadata: { readonly resourceVersion: string } } | undefined,
>(
  { write }: Writer,
  { type, line }: { readonly type: ResourceType; readonly line: WrittenLine },
  send: () => Promise<T>,
): Promise<T> {
  const begun = { line: 'write', ...line, type: groupResource(type) } as const;
  try {
    const response = await send();
    const version = response?.metadata.resourceVersion;
    write({ ...begun, ...present({ resourceVersion: version }) });
    return response;
  } catch (error) {
    write({ ...begun, error: withheld(type, errorData(error)) } satisfies WriteLine);
    throw error;
  }
}

interface Asked {
  readonly type: ResourceType;
  readonly key: Key;
  readonly sent: Parameters<typeof questionDigest>[0];
}

/** Sends an update or a dry run, and records the response, which shows what the request changes. */
async function recordResponse(
  { write, salt }: Writer,
  { type, key, sent }: Asked,
  send: () => Promise<KubeObject>,
): Promise<KubeObject> {
  const digest = questionDigest(sent);
  const asked = { line: 'asked', type: groupResource(type), ...named(key), sent: digest } as const;
  try {
    const response = await send();
    write({ ...asked, object: recordedObject(type, response, { salt, isReference: false }) });
    return response;
  } catch (error) {
    write({ ...asked, error: withheld(type, errorData(error)) } satisfies AskLine);
    throw error;
  }
}

/** Returns the lock of an apply: a version, or `absent` for a create. */
function lockOf({ metadata }: Manifest): { readonly lock?: string } {
  const { uid, resourceVersion } = metadata as JsonObject;
  if (uid === undefined && resourceVersion === '1') return { lock: 'absent' };
  return typeof resourceVersion === 'string' ? { lock: resourceVersion } : {};
}

/** Removes the server's message about a refused Secret, because it may contain values. */
const withheld = (type: ResourceType, error: RecordedError): RecordedError => {
  if (!isSameType(type, secret)) return error;
  const { causes: _, ...rest } = error;
  return { ...rest, message: 'withheld because it may contain values of the Secret' };
};
