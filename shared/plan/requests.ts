import { canonicalJson, isMap } from '../canonical.ts';
import { fieldManager, generatedManager, handOverManager } from '../kinds/names.ts';
import type { Json, JsonObject, KubeObject } from '../kubernetes.ts';
import type { Decision } from './decision.ts';
import { type ObservedChild, openEntry } from './observed.ts';
import { join } from './owned-fields.ts';
import { takeOutPartners } from './partners.ts';
import { shortened } from './short-text.ts';

/** One request that a run sends, as it is shown to the user. */
export interface PlannedRequest {
  readonly verb: 'get' | 'list' | 'create' | 'apply' | 'patch' | 'delete';
  /** `Deployment default/shop` */
  readonly object: string;
  readonly subresource?: 'status';
  /** The field manager of a write. */
  readonly manager?: string;
}

/** What a decision was based on: the child as observed, and read whole where that is not enough. */
export interface Ground {
  readonly observed: ObservedChild | undefined;
  readonly live: KubeObject | undefined;
}

/** Whether the requests of a decision are known only from the whole object. */
export const needsLive = (decision: Decision): boolean =>
  decision.verb === 'update' &&
  (decision.partners || decision.differences.some(({ path }) => path === managersPath));

const managersPath = 'metadata.managedFields';

/**
 * The requests that performing a decision sends, in their order, if the server refuses none.
 *
 * Caveats: a refusal (422) that managedFields did not foretell takes more requests; a write that
 * loses a race is not counted twice.
 */
export function requestsOf(decision: Decision, ground: Ground): readonly PlannedRequest[] {
  const { namespace, child, verb } = decision;
  const object = `${child.kind} ${namespace}/${child.name}`;
  const get: PlannedRequest = { verb: 'get', object };
  const patch: PlannedRequest = { verb: 'patch', object, manager: fieldManager };
  const apply = (manager: string): PlannedRequest => ({ verb: 'apply', object, manager });
  switch (verb) {
    case 'create':
      return [...generated(decision, apply), apply(fieldManager)];
    case 'update': {
      const { partners, handOver, fields } = decision;
      const operations = takenOut(decision, ground);
      return [
        ...(partners ? [get] : []),
        ...(operations.length > 0 ? [patch] : []),
        ...generated(decision, apply),
        ...(handOver === undefined ? [] : [apply(handOverManager)]),
        apply(fieldManager),
        ...(leavesLegacy(fields, ground, operations) ? [patch] : []),
      ];
    }
    case 'consolidate':
      return [get, patch];
    case 'withdraw':
      return [patch];
    case 'delete':
      return [{ verb: 'delete', object }];
    case 'none':
    case 'wait':
    case 'defer':
    case 'block':
      return [];
  }
}

const generated = (
  { generates }: { readonly generates?: readonly string[] },
  apply: (manager: string) => PlannedRequest,
): readonly PlannedRequest[] => (generates === undefined ? [] : [apply(generatedManager)]);

const takenOut = (
  { partners, fields }: Extract<Decision, { verb: 'update' }>,
  { live }: Ground,
): readonly JsonObject[] => (partners && live !== undefined ? takeOutPartners(fields, live) : []);

/** Whether old entries will hold something that our Apply entry also names once `fields` are applied. */
function leavesLegacy(
  fields: JsonObject,
  { observed, live }: Ground,
  takesOut: readonly JsonObject[],
): boolean {
  // A patch of ours that adds something leaves an Update entry of ours.
  if (takesOut.some((operation) => putsIn(operation, live))) return true;
  // An apply to an object without managers assigns all its fields to before-first-apply.
  if (live !== undefined && (live.metadata.managedFields ?? []).length === 0) return true;
  return (observed?.others ?? [])
    .filter(({ manager }) => manager === 'before-first-apply' || manager === fieldManager)
    .map(openEntry)
    .some(({ value, listKeys }) => shares(shortened(fields), value, { path: '', listKeys }));
}

function putsIn({ path, value }: JsonObject, live: KubeObject | undefined): boolean {
  const steps = String(path).split('/').slice(1);
  const before = steps.reduce<Json | undefined>(
    (inner, step) => (inner as JsonObject | undefined)?.[step],
    live as unknown as Json,
  );
  const present = new Set(Array.isArray(before) ? before.map(canonicalJson) : []);
  return Array.isArray(value) && value.some((item) => !present.has(canonicalJson(item)));
}

interface Place {
  readonly path: string;
  readonly listKeys: Readonly<Record<string, readonly string[]>>;
}

/** Whether a leaf has one value in both: an apply with force takes from others only what differs. */
function shares(wanted: Json | undefined, held: Json | undefined, place: Place): boolean {
  if (wanted === undefined || held === undefined) return false;
  const { path, listKeys } = place;
  if (isMap(wanted) && isMap(held))
    return Object.keys(wanted).some((field) =>
      shares(wanted[field], held[field], { path: join(path, field), listKeys }),
    );
  const keys = listKeys[path];
  if (!Array.isArray(wanted) || !Array.isArray(held) || keys === undefined)
    return canonicalJson(wanted) === canonicalJson(held);
  return wanted.some((item) => held.some((other) => sharesItem(item, other, keys)));
}

function sharesItem(wanted: Json, held: Json, keys: readonly string[]): boolean {
  if (!isMap(wanted) || !isMap(held)) return canonicalJson(wanted) === canonicalJson(held);
  if (keys.some((key) => wanted[key] !== held[key])) return false;
  // The keys are in every entry that names anything of the item.
  const less = (item: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(item).filter(([field]) => !keys.includes(field)));
  return shares(less(wanted), less(held), { path: '', listKeys: {} });
}
