import { type Identity, managersOf } from '../../../shared/identity.ts';
import { valueAt } from '../../../shared/json.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import {
  groupResource,
  type Json,
  type KubeObject,
  type Titled,
  titleOf,
} from '../../../shared/kubernetes.ts';
import type { PlannedResource } from '../../../shared/preview/planned-resource.ts';
import { type Header, objectKey } from '../../../shared/recording/recording.ts';
import { Snapshot } from '../../../shared/recording/snapshot.ts';
import { RecordingError } from '../errors.ts';
import type { RecordingFile } from '../recording-file.ts';
import { decisionEntries, type HistoryEntry } from './history-entry.ts';
import type { FieldValues } from './managed-fields.ts';
import {
  changesOf,
  conditionEntries,
  endsOf,
  eventOf,
  type KeyedEntry,
  type SeenObject,
} from './seen-object.ts';

export interface HistorySubject {
  readonly kind: Kind;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly name: string;
}

interface RunOfSubject extends Pick<Header, 'at' | 'product' | 'trigger'> {
  readonly file: string;
  /** Undefined if there was nothing to do. */
  readonly planned: PlannedResource | undefined;
}

/**
 * Collects the history of a resource. Add the recordings from oldest to newest, then the cluster.
 *
 * Guarantees: contains no value of a Secret. A change that several sources show is one entry.
 * Caveats: managedFields show only the last change of each manager, so changes between two recordings may be
 * missing.
 */
export class History {
  readonly runs: RunOfSubject[] = [];
  readonly #subject: HistorySubject;
  readonly #identity: Identity;
  readonly #entries: HistoryEntry[] = [];
  readonly #told = new Set<string>();
  readonly #known = new Map<string, FieldValues>();
  /** Where and when the resource was last seen, and its uid then. `place` is a file or `the cluster`. */
  #last: { readonly uid: string; readonly at: string; readonly place: string } | undefined;

  constructor(subject: HistorySubject, identity: Identity) {
    this.#subject = subject;
    this.#identity = identity;
  }

  /** Returns false if the run did not read the resource. */
  addRun(file: string, { header, requests, decisions }: RecordingFile): boolean {
    const { kind, namespace, name } = this.#subject;
    const snapshot = new Snapshot(requests);
    const live = found(snapshot, objectKey(kind, { namespace, name }));
    const planned = decisions.decided.resources.find(
      (one) =>
        one.resource === groupResource(kind) && one.namespace === namespace && one.name === name,
    );
    if (live === undefined && planned === undefined) return false;
    const { at, product, trigger, identity } = header;
    if (live !== undefined) this.#requireSameCluster(live, { at, place: file });
    if (live !== undefined)
      for (const one of [{ type: kind, live }, ...childrenIn(snapshot, kind, live)])
        this.#see(one, at);
    this.runs.push({ file, at, product, trigger, planned });
    const who = { time: at, who: identity.name, version: product, trigger, recording: file };
    if (planned !== undefined)
      this.#entries.push(
        ...decisionEntries({
          who: { ...who, from: 'recording' },
          planned,
          writes: requests.filter((one) => one.line === 'write'),
          types: kind.owns,
        }),
      );
    return true;
  }

  addLive(objects: readonly SeenObject[], events: readonly KubeObject[], at: string): void {
    const [resource] = objects;
    if (resource !== undefined)
      this.#requireSameCluster(resource.live, { at, place: 'the cluster' });
    for (const one of objects) this.#see(one, at);
    for (const event of events) this.#tell(eventOf(event, this.#object));
  }

  /** Oldest first. */
  get entries(): readonly HistoryEntry[] {
    return this.#entries
      .filter((one) => !this.#isToldByRun(one))
      .toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
  }

  get #object(): Titled {
    const { kind, namespace, name } = this.#subject;
    return { kind: kind.kind, namespace, name };
  }

  /**
   * Throws a RecordingError if two resources of this name existed at the same time, and so in different clusters.
   */
  #requireSameCluster(
    { metadata: { uid, creationTimestamp } }: SeenObject['live'],
    seen: { readonly at: string; readonly place: string },
  ): void {
    const last = this.#last;
    this.#last = { uid, ...seen };
    if (last === undefined || last.uid === uid) return;
    if (!(Date.parse(creationTimestamp) < Date.parse(last.at) - skewMs)) return;
    this.#last = last;
    throw new RecordingError(
      `${seen.place} and ${last.place} show two objects called ${titleOf(this.#object)} at the same time, so they are from two clusters: name the recordings of one cluster with --recordings`,
    );
  }

  #tell(all: readonly KeyedEntry[]): void {
    for (const { key, entry } of all) {
      const text = JSON.stringify(key);
      if (!this.#told.has(text)) this.#entries.push(entry);
      this.#told.add(text);
    }
  }

  #see(seen: SeenObject, at: string): void {
    const { metadata } = seen.live;
    const { kind, namespace } = this.#subject;
    const isResource = seen.type === kind;
    const own = metadata.namespace === namespace ? {} : { namespace: metadata.namespace };
    const child = { kind: seen.type.kind, name: metadata.name, ...own };
    const object = isResource ? this.#object : child;
    const { changes, fields } = changesOf(seen, {
      object,
      at,
      known: this.#known.get(metadata.uid),
    });
    this.#known.set(metadata.uid, fields);
    this.#tell(changes);
    if (!isResource) return;
    this.#tell(endsOf(seen, object));
    this.#tell(conditionEntries(seen, object, this.#identity.name));
  }

  /** Reports whether the decisions of a recorded run already show the change in this entry. */
  #isToldByRun({ time, from, who, why = '', object }: HistoryEntry): boolean {
    const during = this.runs.filter(({ at }) => isDuring(time, at));
    switch (from) {
      case 'managedFields':
        return (
          this.#isOurs(who) &&
          this.#entries.some(
            (one) =>
              one.result === 'sent' &&
              isDuring(time, one.time) &&
              one.object.kind === object.kind &&
              one.object.name === object.name,
          )
        );
      case 'Event':
        return during.some(({ planned }) =>
          planned?.events.some(({ reason, message }) => why === `${reason}: ${message}`),
        );
      case 'status':
        return during.some(({ planned }) => {
          const state = planned?.status?.state;
          return (
            state !== undefined && why.startsWith(`Ready ${state === 'Ready' ? 'True' : 'False'}`)
          );
        });
      default:
        return false;
    }
  }

  #isOurs(manager: string): boolean {
    return managersOf(this.#identity).includes(manager);
  }
}

/** The assumed maximum difference between the clocks of a function and an API server. */
const skewMs = 60_000;

/** The assumed maximum time from the start of a run to its last write. */
const runMs = 10 * 60_000;

/**
 * Reports whether a time is within the run that began at `run`. Rounds `run` down to a whole second, as the times in
 * managedFields, Events and conditions are.
 */
function isDuring(time: string, run: string): boolean {
  const since = Date.parse(time) - Math.floor(Date.parse(run) / 1000) * 1000;
  return since >= 0 && since < runMs;
}

const found = (
  { objects }: Snapshot,
  key: string,
): (KubeObject & { readonly status?: Json }) | undefined => {
  const response = objects.get(key);
  return response !== undefined && 'found' in response ? (response.found ?? undefined) : undefined;
};

function childrenIn(
  { objects }: Snapshot,
  { owns }: Kind,
  { metadata: { uid } }: KubeObject,
): readonly SeenObject[] {
  return [...objects].flatMap(([key, response]) => {
    const live = 'found' in response ? response.found : null;
    const owners: unknown = live?.metadata.ownerReferences;
    const isOwn =
      Array.isArray(owners) &&
      owners.some((one) => valueAt(one, 'controller') === true && valueAt(one, 'uid') === uid);
    const type = isOwn && owns.find((one) => key.startsWith(`${groupResource(one)} `));
    return live && type ? [{ type, live }] : [];
  });
}
