import { isMap } from '../../../shared/canonical.ts';
import { textAt, valueAt } from '../../../shared/json.ts';
import type {
  Json,
  KubeObject,
  ManagedFieldsEntry,
  ResourceType,
  Titled,
} from '../../../shared/kubernetes.ts';
import type { HistoryEntry } from './history-entry.ts';
import { changedFields, type FieldValues, fieldValuesOf } from './managed-fields.ts';

export interface SeenObject {
  readonly type: ResourceType;
  /** The object as read. Of a Secret, this may be only the metadata. */
  readonly live: Pick<KubeObject, 'metadata'> & { readonly status?: Json };
}

/** Entries about the same change have equal keys. */
export interface KeyedEntry {
  readonly key: readonly unknown[];
  readonly entry: HistoryEntry;
}

interface SeenContext {
  readonly object: Titled;
  /** When the object was read. */
  readonly at: string;
  /** The fields at the previous read; undefined at the first read. */
  readonly known: FieldValues | undefined;
}

/** Omits changes to the status. */
export function changesOf({ type, live }: SeenObject, { object, at, known }: SeenContext) {
  const { metadata } = live;
  const all = entriesOf(metadata).map((entry) => ({
    ...entry,
    fields: fieldValuesOf(entry.fieldsV1, live),
  }));
  const changes = all.flatMap((one): readonly KeyedEntry[] => {
    const { manager = 'unknown', operation, subresource, time, fields } = one;
    const differences = known && changedFields(type.kind, known, fields);
    // `kubectl scale` leaves an entry without a time. It is old if its fields have not changed since the last read.
    const isOld = time === undefined && differences?.length === 0;
    if (subresource === 'status' || isOld) return [];
    const isFirst = time === metadata.creationTimestamp;
    const what = differences?.length
      ? { differences }
      : { fields: metadataLast([...fields.keys()]) };
    const entry: HistoryEntry = {
      time: time ?? at,
      ...(time === undefined ? { isLatest: true } : {}),
      who: manager,
      verb: isFirst ? 'create' : operation === 'Apply' ? 'apply' : 'edit',
      object,
      ...what,
      from: 'managedFields',
    };
    return [{ key: [metadata.uid, manager, operation, subresource, time ?? at], entry }];
  });
  return { changes, fields: new Map(all.flatMap(({ fields }) => [...fields])) as FieldValues };
}

const metadataLast = (paths: readonly string[]): readonly string[] => {
  const isMetadata = (path: string): boolean => path.startsWith('metadata.');
  return [...paths.filter((one) => !isMetadata(one)), ...paths.filter(isMetadata)];
};

/** Returns an entry for a deletion, and an entry for a creation that managedFields do not show. */
export function endsOf({ live: { metadata } }: SeenObject, object: Titled): readonly KeyedEntry[] {
  const { uid, creationTimestamp, deletionTimestamp } = metadata;
  const isKnown = entriesOf(metadata).some(({ time }) => time === creationTimestamp);
  const entry = (verb: string, time: string): KeyedEntry => ({
    key: [uid, verb],
    entry: { time, who: 'unknown', verb, object, from: 'managedFields' },
  });
  return [
    ...(isKnown || !isTime(creationTimestamp) ? [] : [entry('create', creationTimestamp)]),
    ...(isTime(deletionTimestamp) ? [entry('delete', deletionTimestamp)] : []),
  ];
}

/** The conditions that the history omits, because they repeat the reason of Ready. */
const repeated = ['Reconciling', 'Stalled'];

export function conditionEntries(
  { live }: SeenObject,
  object: Titled,
  who: string,
): readonly KeyedEntry[] {
  const all = valueAt(live.status, 'conditions');
  return (Array.isArray(all) ? all : []).flatMap((one: Json) => {
    const [type, status, time] = ['type', 'status', 'lastTransitionTime'].map((field) =>
      textAt(one, field),
    );
    if (type === undefined || repeated.includes(type) || !isTime(time)) return [];
    const [reason, message = ''] = [textAt(one, 'reason'), textAt(one, 'message')];
    const details =
      reason === undefined || (type === 'Ready' && reason === type) ? '' : ` ${reason}: ${message}`;
    const why = `${type} ${status}${details}`;
    const entry: HistoryEntry = { time, who, verb: 'status', object, why, from: 'status' };
    return [{ key: [live.metadata.uid, type, status, time], entry }];
  });
}

export function eventOf(event: KubeObject, object: Titled): readonly KeyedEntry[] {
  const { uid, creationTimestamp } = event.metadata;
  const time = textAt(event, 'lastTimestamp') ?? textAt(event, 'eventTime') ?? creationTimestamp;
  const count = valueAt(event, 'count');
  const times = typeof count === 'number' && count > 1 ? ` (${count} times)` : '';
  if (!isTime(time)) return [];
  const entry: HistoryEntry = {
    time,
    who: textAt(event, 'source', 'component') ?? textAt(event, 'reportingComponent') ?? 'unknown',
    verb: 'event',
    object,
    why: `${textAt(event, 'reason') ?? ''}: ${textAt(event, 'message') ?? ''}${times}`,
    from: 'Event',
  };
  return [{ key: [uid], entry }];
}

/** Omits malformed entries, which a recording may contain. */
function entriesOf({ managedFields }: KubeObject['metadata']): readonly ManagedFieldsEntry[] {
  const all: unknown = managedFields;
  return (Array.isArray(all) ? all : []).filter(
    (one): one is ManagedFieldsEntry =>
      isMap(one) &&
      isMap(one.fieldsV1 as Json) &&
      typeof (one.manager ?? '') === 'string' &&
      (one.time === undefined || isTime(one.time)),
  );
}

const isTime = (time: unknown): time is string =>
  typeof time === 'string' && !Number.isNaN(Date.parse(time));
