import type { Key } from '../cluster/cluster.ts';
import { present } from '../json.ts';
import type { JsonObject, KubeObject } from '../kubernetes.ts';
import {
  type AskLine,
  askKey,
  listKey,
  objectKey,
  type ReadLine,
  type RecordedError,
  type WriteLine,
} from './recording.ts';

export type RecordedResponse<T> = { readonly found: T } | { readonly error: RecordedError };

/** The first responses in a recording: later ones may show the run's own writes. */
export class Snapshot {
  readonly lists = new Map<string, RecordedResponse<readonly KubeObject[]>>();
  readonly objects = new Map<string, RecordedResponse<KubeObject | null>>();
  readonly metadata = new Map<string, RecordedResponse<KubeObject | null>>();
  /** The last responses to dry runs, by `askKey`. */
  readonly asked = new Map<string, RecordedResponse<KubeObject>>();

  constructor(lines: readonly (ReadLine | AskLine | WriteLine)[]) {
    for (const line of lines) this.#add(line);
  }

  #add(line: ReadLine | AskLine | WriteLine): void {
    if (line.line === 'asked') {
      const key = askKey(line.type, line, line.sent);
      this.asked.set(key, 'error' in line ? line : { found: line.object });
    } else if (line.line === 'write') {
      // Records that the object was absent: otherwise, the write would have been refused.
      if (line.lock === 'absent' && line.error === undefined)
        this.#addObject(line.type, line, { found: null });
    } else if ('selection' in line) {
      const key = listKey(line.type, line.selection);
      if (!this.lists.has(key)) this.lists.set(key, 'error' in line ? line : { found: line.items });
      if ('items' in line && line.selection.metadataOnly !== true)
        for (const found of line.items) this.#addObject(line.type, found.metadata, { found });
    } else {
      const response = 'error' in line ? line : { found: line.object };
      const isWhole = line.request === 'get' || ('found' in response && response.found === null);
      if (isWhole) this.#addObject(line.type, line, response);
      else this.metadata.set(objectKey(line.type, line), response);
    }
  }

  /** Keeps the first response. Adds a Secret's digest from a later response: only reads of references have a digest. */
  #addObject(type: string, key: Key, response: RecordedResponse<KubeObject | null>): void {
    const name = objectKey(type, key);
    const first = this.objects.get(name) ?? response;
    const [known, read] = [first, response].map((one) => ('found' in one ? one.found : null));
    const digest = (read as JsonObject | null)?.digest;
    this.objects.set(name, known && read ? { found: { ...present({ digest }), ...known } } : first);
  }
}
