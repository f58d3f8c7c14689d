import type { Cluster, Key } from '../cluster/cluster.ts';
import { isConflict } from '../cluster/cluster-errors.ts';
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

/** In characters. */
export const maxRecording = 64 * 1024 * 1024;

/** Keeps only the first response to a repeated list: later responses may show the run's own writes. */
export class Recorder {
  /** Lines of JSON, in the order of the responses. */
  readonly lines: string[] = [];
  readonly #listed = new Set<string>();
  readonly #salt: string;
  #charactersLeft: number;

  constructor(salt: string, limit = maxRecording) {
    this.#salt = salt;
    this.#charactersLeft = limit;
  }

  get isTruncated(): boolean {
    return this.#charactersLeft < 0;
  }

  write(line: object | string): void {
    const text = typeof line === 'string' ? line : JSON.stringify(line);
    this.#charactersLeft -= text.length + 1;
    if (this.#charactersLeft >= 0) this.lines.push(text);
  }

  through(cluster: Cluster): Cluster {
    return {
      traffic: cluster.traffic,
      withTimeout: (ms) => this.through(cluster.withTimeout(ms)),
      list: this.#list(cluster),
      ...this.#reads(cluster),
      ...this.#writes(cluster),
    };
  }

  #list(cluster: Cluster): Cluster['list'] {
    return async (type, selection, each) => {
      const key = listKey(type, selection);
      if (this.#listed.has(key)) return cluster.list(type, selection, each);
      this.#listed.add(key);
      const items: string[] = [];
      let size = 0;
      const isReference = selection.labels === undefined;
      const read = { line: 'read', request: 'list', type: groupResource(type), selection } as const;
      try {
        await cluster.list(type, selection, (live) => {
          if (size <= this.#charactersLeft) {
            const text = JSON.stringify(this.#masked(type, live, isReference));
            items.push(text);
            size += text.length;
          }
          each(live);
        });
      } catch (error) {
        this.write({ ...read, error: errorData(error) } satisfies ReadLine);
        throw error;
      }
      this.write(`${JSON.stringify(read).slice(0, -1)},"items":[${items.join(',')}]}`);
    };
  }

  #reads(cluster: Cluster): Pick<Cluster, 'get' | 'getMetadata'> {
    const contentOf = (type: ResourceType, live: KubeObject | undefined) => ({
      object: live ? this.#masked(type, live, true) : null,
    });
    return {
      get: (type, key) =>
        this.#record(
          { line: 'read', request: 'get', ...about(type, key) },
          () => cluster.get(type, key),
          (live) => contentOf(type, live),
        ),
      getMetadata: (type, key) =>
        this.#record(
          { line: 'read', request: 'getMetadata', ...about(type, key) },
          () => cluster.getMetadata(type, key),
          (metadata) => contentOf(type, metadata && { apiVersion: '', kind: type.kind, metadata }),
        ),
    };
  }

  #writes(cluster: Cluster): Pick<Cluster, 'apply' | 'create' | 'patch' | 'remove'> {
    return {
      apply: (type, manifest, as) => {
        const key = manifest.metadata;
        const send = () => cluster.apply(type, manifest, as);
        if (as.dryRun) return this.#ask(type, { key, sent: manifest }, send);
        const lock = present({ lock: lockOf(manifest) });
        return this.#write({ request: 'apply', ...about(type, key), ...as, ...lock }, send);
      },
      create: (type, manifest) =>
        this.#write({ request: 'create', ...about(type, manifest.metadata) }, () =>
          cluster.create(type, manifest),
        ),
      patch: (type, key, patch) => {
        const { dryRun, operations: sent, resourceVersion: lock, ...how } = patch;
        const send = () => cluster.patch(type, key, patch);
        return dryRun
          ? this.#ask(type, { key, sent }, send)
          : this.#write({ request: 'patch', ...about(type, key), ...how, lock }, send);
      },
      remove: (type, key, preconditions) => {
        const line = { request: 'delete', ...about(type, key) } as const;
        return this.#write({ ...line, lock: preconditions.resourceVersion }, () =>
          cluster.remove(type, key, preconditions),
        );
      },
    };
  }

  #ask(
    type: ResourceType,
    { key, sent }: { readonly key: Key; readonly sent: Parameters<typeof questionDigest>[0] },
    send: () => Promise<KubeObject>,
  ): Promise<KubeObject> {
    const line = { line: 'asked', ...about(type, key), sent: questionDigest(sent) } as const;
    return this.#record(line, send, (live) => ({ object: this.#masked(type, live, false) }));
  }

  #write<T extends Pick<KubeObject, 'metadata'> | undefined>(
    line: Omit<WriteLine, 'line' | 'resourceVersion' | 'error'>,
    send: () => Promise<T>,
  ): Promise<T> {
    return this.#record({ line: 'write', ...line }, send, (written) =>
      present({ resourceVersion: written?.metadata.resourceVersion }),
    );
  }

  async #record<T>(
    line: Begun,
    send: () => Promise<T>,
    contentOf: (response: T) => object,
  ): Promise<T> {
    try {
      const response = await send();
      this.write({ ...line, ...contentOf(response) });
      return response;
    } catch (error) {
      // Does not record the conflict of a dry run: a replay repeats the dry run on the object as it was read.
      if (line.line === 'asked' && isConflict(error)) throw error;
      const data = errorData(error);
      const isRefusedSecret = line.line !== 'read' && line.type === groupResource(secret);
      this.write({ ...line, error: isRefusedSecret ? withheld(data) : data });
      throw error;
    }
  }

  #masked(type: ResourceType, live: KubeObject, isReference: boolean) {
    return recordedObject(type, live, { salt: this.#salt, isReference });
  }
}

type Begun =
  | Pick<ReadLine, 'line' | 'request' | 'type'>
  | Omit<AskLine, 'object' | 'error'>
  | Omit<WriteLine, 'resourceVersion' | 'error'>;

const about = (type: ResourceType, { namespace, name }: Key) => ({
  type: groupResource(type),
  ...(namespace ? { namespace } : {}),
  name,
});

function lockOf({ metadata: { uid, resourceVersion } }: Manifest): string | undefined {
  if (uid === undefined && resourceVersion === '1') return 'absent';
  return typeof resourceVersion === 'string' ? resourceVersion : undefined;
}

/** Withholds the server's message about a refused Secret, and its causes, because they may contain values. */
function withheld({ causes: _, ...error }: RecordedError): RecordedError {
  return { ...error, message: 'withheld because it may contain values of the Secret' };
}
