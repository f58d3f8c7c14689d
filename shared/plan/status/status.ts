import { canonicalJson, isDeeperThan, isMap } from '../../canonical.ts';
import { present } from '../../json.ts';
import type { Kind } from '../../kinds/kind.ts';
import { type Json, type JsonObject, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { completionOf, recordIn } from '../observed/applied.ts';
import {
  type Condition,
  conditionsOf,
  readyUnknown,
  suspended,
  withTimes,
} from '../observed/conditions.ts';
import type { ObservedResource } from '../observed/observed.ts';
import {
  type Contested,
  claimsOwnType,
  type LastApplied,
  maxChildren,
  maxCompleted,
  maxFieldsOfRepairs,
  maxRepairs,
  type Repair,
  type ResourceStatus,
} from '../observed/recorded-status.ts';
import { namespacesInTurn } from '../turns.ts';
import type { Finding } from './finding.ts';
import { outermost } from './kubernetes-events.ts';

/**
 * Returns the status to write; undefined if nothing but times and outdated repairs would change in our
 * fields. These are the fields that all kinds share and those that the kind declares. After a repair, or if a
 * former name owns parts of the status, it is always written.
 */
export function nextStatus(
  kind: Kind,
  resource: ObservedResource,
  at: { readonly now: string } & (Finding | { readonly suspended: true }),
): ResourceStatus | undefined {
  const next =
    'suspended' in at ? whileSuspended(kind, resource, at.now) : found(kind, resource, at);
  const isSame =
    comparable(kind, next) === comparable(kind, resource.status) &&
    ('suspended' in at || (at.repairs ?? new Map()).size === 0);
  const isRenamed = 'suspended' in at || resource.formerHolders.length === 0;
  return isSame && !resource.strayStatus && isRenamed ? undefined : next;
}

function found(
  kind: Kind,
  resource: ObservedResource,
  finding: Finding & { readonly now: string },
): ResourceStatus {
  const { summary, wanted, leftovers, unseen = [], acted, now } = finding;
  const { uid, generation, status } = resource;
  const observed = acted ? generation : status.observedGeneration;
  const own = finding.own ?? {
    fields: declared(kind, status),
    conditions: ownConditionsIn(kind, status),
  };
  const { drifted } = finding;
  const ready = drifted?.status === 'True' ? readyThoughDrifted : undefined;
  const ofEngine = [...conditionsOf(summary, ready), ...(drifted === undefined ? [] : [drifted])];
  const conditions = [...ofEngine, ...own.conditions];
  const children = recorded(wanted, [...leftovers, ...unseen]);
  return {
    ...own.fields,
    ...present({ observedGeneration: observed }),
    children,
    ...present({ lastApplied: lastApplied({ uid, status }, children, finding) }),
    conditions: withTimes(conditions, status.conditions ?? [], { generation, now }),
  };
}

const readyThoughDrifted =
  'all children are ready; the condition Drifted says how they differ from what is wanted';

const ownConditionsIn = (kind: Kind, { conditions = [] }: ResourceStatus): readonly Condition[] =>
  conditions.filter(({ type }) => kind.conditions.includes(type));

function lastApplied(
  { uid, status }: Pick<ObservedResource, 'uid' | 'status'>,
  children: readonly ObjectRef[],
  finding: Finding & { readonly now: string },
): LastApplied | undefined {
  const { applied, acted, reads, selected, compared, now } = finding;
  const keys = children.map(keyOf);
  const texts = keys.map((key) => applied[key] ?? '');
  const repairs = repairsOf(status, keys, finding);
  const contested = contestedOf(status, keys, finding);
  const completed = completedOf(status, keys, finding);
  const before = status.lastApplied;
  const marks = selected ?? before?.selected ?? '';
  if ([...texts, ...completed, ...repairs, ...contested, marks].every((one) => one === ''))
    return undefined;
  return {
    children: texts,
    ...present({ reads: acted ? reads : before?.reads, selected: marks || undefined }),
    comparedAt: compared ? now : (before?.comparedAt ?? spreadOver(uid, now)),
    ...(completed.length > 0 ? { completed } : {}),
    ...(repairs.length > 0 ? { repairs } : {}),
    ...(contested.length > 0 ? { contested } : {}),
  };
}

/**
 * Returns the completions of steps that are no longer in `status.children`, or have other fields there, so that no
 * completed step runs again when it is wanted again. Those of steps that are wanted now come first.
 */
function completedOf(
  { children: before = [], lastApplied }: ResourceStatus,
  keys: readonly string[],
  { applied, completions = new Map() }: Finding,
): readonly string[] {
  const recorded = new Set(keys);
  const left = before.flatMap((ref, at) => {
    const key = keyOf(ref);
    const now = recordIn(applied[key]);
    const record = recorded.has(key) ? recordIn(lastApplied?.children[at]) : now;
    const isOver = !recorded.has(key) || record?.wanted !== now?.wanted;
    return isOver && record?.complete === true ? [completionOf(key, record.wanted)] : [];
  });
  const earlier = lastApplied?.completed ?? [];
  const wanted = earlier.filter((one) => completions.has(one));
  return [...new Set([...wanted, ...left, ...earlier])].slice(0, maxCompleted);
}

/** Returns the repairs of this run, and earlier ones that may still be part of a fight; the latest first. */
function repairsOf(
  status: ResourceStatus,
  keys: readonly string[],
  { repairs = new Map(), wanted, now }: Finding & { readonly now: string },
): readonly Repair[] {
  const made = keys.flatMap((key, child): readonly Repair[] => {
    if (!repairs.has(key)) return [];
    const written = wanted.find((one) => keyOf(one) === key)?.ours?.time;
    return [{ child, at: now, ...present({ written, fields: repairs.get(key) }) }];
  });
  const earlier = moved(status, keys, status.lastApplied?.repairs);
  const recent = earlier.filter(({ at }) => Date.parse(now) - Date.parse(at) < keptMs);
  return briefly([...made, ...recent].slice(0, maxRepairs));
}

/** Replaces the paths of repairs by those of the outermost fields, if there are too many. */
function briefly(repairs: readonly Repair[]): readonly Repair[] {
  const count = repairs.reduce((sum, { fields = [] }) => sum + fields.length, 0);
  return count <= maxFieldsOfRepairs
    ? repairs
    : repairs.map((one) => ({
        ...one,
        ...present({ fields: one.fields && outermost(one.fields) }),
      }));
}

/** How long repairs are kept: twice the time in which a fight is recognized, because clocks differ. */
const keptMs = 60_000;

function contestedOf(
  status: ResourceStatus,
  keys: readonly string[],
  { contested = new Map(), now }: Finding & { readonly now: string },
): readonly Contested[] {
  const earlier = moved(status, keys, status.lastApplied?.contested);
  return keys.flatMap((key, child): readonly Contested[] => {
    if (!contested.has(key)) return [];
    const since = earlier.find((one) => one.child === child)?.since ?? now;
    return [{ child, since, ...present({ by: contested.get(key) }) }];
  });
}

/** Gives each entry the index of its child in a new list, and drops entries of children that are not in it. */
function moved<T extends { readonly child: number }>(
  { children: before = [] }: ResourceStatus,
  keys: readonly string[],
  entries: readonly T[] = [],
): readonly T[] {
  return entries.flatMap((one) => {
    const ref = before[one.child];
    const child = ref === undefined ? -1 : keys.indexOf(keyOf(ref));
    return child === -1 ? [] : [{ ...one, child }];
  });
}

/** Returns a time in the last 23 hours that depends on the uid, so that not all resources are compared at once. */
function spreadOver(uid: string, now: string): string {
  const part = (Number.parseInt(uid.slice(0, 8), 16) || 0) / 2 ** 32;
  return `${new Date(Date.parse(now) - part * compareEveryMs).toISOString().slice(0, 19)}Z`;
}

/** Interval at which each child is compared with a dry run of its apply, even without signs of drift. */
const compareEveryMs = 23 * 3_600_000;

/**
 * Reports whether a resync has to compare the resource's children by dry runs. Also true if the recorded time
 * is in the future, because no run writes that.
 */
export function isComparisonDue({ status }: ObservedResource, now: Date): boolean {
  const at = status.lastApplied?.comparedAt;
  return at !== undefined && Math.abs(now.getTime() - Date.parse(at)) > compareEveryMs;
}

const bareRef = ({ apiVersion, kind, name, namespace }: ObjectRef): ObjectRef => ({
  apiVersion,
  kind,
  name,
  ...present({ namespace }),
});

/** Returns the wanted children, and as many others as there is room for, namespaces in turn. */
function recorded(
  wanted: readonly ObjectRef[],
  others: readonly ObjectRef[],
): readonly ObjectRef[] {
  const isTooLong = wanted.length + others.length > maxChildren;
  const rest = isTooLong ? namespacesInTurn(others) : others;
  return [...wanted, ...rest].slice(0, maxChildren).map(bareRef);
}

/** Returns the status as it was found, with the condition Suspended. */
function whileSuspended(
  kind: Kind,
  { generation, status }: ObservedResource,
  now: string,
): ResourceStatus {
  const previous = status.conditions ?? [];
  const others = previous.filter(({ type }) => type !== suspended.type);
  const said = others.some(({ type }) => type === 'Ready')
    ? [suspended]
    : [readyUnknown, suspended];
  const { observedGeneration, children, lastApplied } = status;
  return {
    ...declared(kind, status),
    ...present({ observedGeneration }),
    ...present({ children, lastApplied }),
    conditions: [...others, ...withTimes(said, previous, { generation, now })],
  };
}

/**
 * JSON patch that removes what other managers put into our fields of the status. An apply would leave it
 * there, and a false Stalled would contradict Ready.
 */
export function withoutStrays(
  kind: Kind,
  live: unknown,
  wanted: ResourceStatus,
): readonly JsonObject[] {
  if (!isMap(live as Json)) return [];
  const status = live as JsonObject;
  const fields = [...commonFields, ...declaredFields(kind)].filter(
    (field) => status[field] !== undefined && wanted[field] === undefined,
  );
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const strays = conditions.flatMap((one: Json, at) => {
    if (!claimsOwnType(kind, one)) return [];
    const isWanted = wanted.conditions?.some(({ type }) => type === one.type) ?? false;
    return isWanted ? [] : [`conditions/${at}`];
  });
  // Removes the last index first, so that the others stay valid.
  return [...strays.toReversed(), ...fields].map((path) => ({
    op: 'remove',
    path: `/status/${path}`,
  }));
}

const commonFields = ['observedGeneration', 'children', 'lastApplied'] as const;

const declaredFields = ({ schema }: Kind): readonly string[] => Object.keys(schema.status);

/** The kind's own fields as they were found. A field that is nested too deeply to be ours becomes `foreign`. */
const declared = (kind: Kind, status: ResourceStatus, foreign?: Json): JsonObject =>
  Object.fromEntries(
    declaredFields(kind).flatMap((field) => {
      const value = isDeeperThan(maxLevels, status[field]) ? foreign : (status[field] as Json);
      return value === undefined ? [] : [[field, value]];
    }),
  );

/** Limit of nesting; no kind's status field has more levels. */
const maxLevels = 32;

/** Returns the parts by which statuses are compared: not times, repairs or the digest of the references. */
function comparable(kind: Kind, status: ResourceStatus): string {
  const { observedGeneration, children = [], conditions = [], lastApplied } = status;
  const { contested = [], completed = [], comparedAt, selected } = lastApplied ?? {};
  return canonicalJson({
    observedGeneration,
    children,
    applied: lastApplied?.children ?? [],
    comparedAt,
    selected,
    completed,
    contested: contested.map(({ child, by }) => ({ child, by })),
    // Sorted by type, because the server keeps its own order in a list merged by type.
    conditions: conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1)).map(withoutTime),
    own: declared(kind, status, 'foreign'),
  });
}

const withoutTime = ({
  type,
  status,
  reason,
  message,
  observedGeneration,
}: Condition): Partial<Condition> => ({ type, status, reason, message, observedGeneration });
