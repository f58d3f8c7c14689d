import { isDenied, isInvalid, KubeError } from '../cluster/cluster-errors.ts';
import { secret } from '../kinds/child-types/core.ts';
import {
  isSameType,
  type JsonObject,
  type KubeObject,
  keyOf,
  type ObjectVersion,
  titleOf,
} from '../kubernetes.ts';
import { appliedTo } from '../plan/decision/apply-records.ts';
import { fieldsToApply, type Question } from '../plan/decision/decision.ts';
import { immutableFields } from '../plan/decision/reasons.ts';
import { trialName } from '../plan/decision/requests.ts';
import { withInitial, withValues } from '../plan/drift/kept-values.ts';
import { fieldsHeld, hasUnheld, leftoversIn, patchWithout } from '../plan/drift/leftovers.ts';
import { type Place, pathOf, valueIn } from '../plan/drift/places.ts';
import { desiredDigest } from '../plan/observed/applied.ts';
import { manifestOf, salted } from '../plan/observed/apply-manifest.ts';
import { type ObservedChild, observeChild, openEntry } from '../plan/observed/observed.ts';
import { shortJson } from '../plan/observed/short-text.ts';
import type { Asked } from '../plan/observed/world.ts';
import { getVersion } from '../reading/read.ts';
import type { LiveWorld, Run } from '../run/run.ts';
import { StaleError } from './turn.ts';

export type DryRunResult = Pick<Asked, 'after' | 'untangles' | 'refusal' | 'doubt'>;

/** Sends only reads and dry runs. */
export class Inquiry {
  readonly run: Run;
  readonly world: LiveWorld;
  readonly question: Question;
  readonly child: ObservedChild | undefined;
  #fields: JsonObject;

  constructor(run: Run, world: LiveWorld, question: Question) {
    this.run = run;
    this.world = world;
    this.question = question;
    this.child = world.children.get(keyOf(question.child));
    this.#fields = fieldsToApply(question);
  }

  get sent(): JsonObject {
    const { lacksSalt, salt = lacksSalt && 'any-salt-will-do' } = this.child ?? {};
    return salt ? salted(this.#fields, salt) : this.#fields;
  }

  async readLong(): Promise<void> {
    const { long = [] } = this.question.kept ?? {};
    if (long.length === 0) return;
    const held = fieldsHeld(await this.read(), this.world.identity);
    this.#fields = withValues(this.#fields, long, held);
  }

  apply(fields = this.sent): Promise<KubeObject> {
    return this.#dryRun(fields, this.question.lock);
  }

  create(fields: JsonObject): Promise<KubeObject | undefined> {
    const { kept } = this.question;
    const whole = kept ? withInitial(fields, kept) : fields;
    return this.#dryRun(whole, 'absent').catch(() => undefined);
  }

  /** Reports whether applying only our fields gets a 500. Identical list items cause that, but not in a JSON patch. */
  async failsAnew(): Promise<boolean> {
    const answer = await this.#dryRun(this.sent, 'absent').catch((error: unknown) => error);
    return answer instanceof KubeError && answer.code === 500;
  }

  patch(operations: readonly JsonObject[]): Promise<KubeObject | KubeError> {
    const { resourceVersion } = this.question.lock;
    const { name: manager } = this.world.identity;
    const patch = { manager, resourceVersion, operations, dryRun: true } as const;
    return this.run.cluster.patch(this.question.type, this.#target, patch).catch(refusalIn);
  }

  async read(): Promise<KubeObject> {
    const live = await getVersion(this.run.cluster, this.#target, this.question.lock);
    if (live === undefined) throw this.stale();
    return live;
  }

  stale(): StaleError {
    const { child, type } = this.question;
    return new StaleError(`compare ${titleOf(child)}`, { target: { ...child, type } });
  }

  observe(live: KubeObject): ObservedChild {
    const { identity, resource } = this.world;
    return observeChild(this.question.type, live, { identity, from: resource.namespace });
  }

  /** Returns the patched child as our apply would leave it. `ours` has only what `differencesBetween` reads. */
  observeApplied(patched: KubeObject): ObservedChild {
    const child = this.observe(patched);
    const entries = [...(child.ours ? [child.ours] : []), ...child.others].map(openEntry);
    const listKeys = Object.assign({}, ...entries.map((one) => one.listKeys));
    const shape = JSON.stringify({ listKeys, leafMaps: [] });
    const values = shortJson(this.#fields);
    const ours = { manager: '', time: undefined, values, shape };
    // An object without managers becomes `legacy`: the server assigns its fields to before-first-apply.
    const { others } = child;
    const { name } = this.world.identity;
    const legacy = others.length === 0 || others.some(({ manager }) => manager === name);
    return { ...child, ours, legacy };
  }

  get #target() {
    const { type, namespace, child } = this.question;
    return { type, namespace, name: child.name };
  }

  #dryRun(fields: JsonObject, lock: ObjectVersion | 'absent'): Promise<KubeObject> {
    const { type, namespace, name } = this.#target;
    // For a create, uses another name, because the child exists.
    const child = { ...this.question.child, name: lock === 'absent' ? trialName(name) : name };
    const manifest = manifestOf({ child, namespace }, fields, lock);
    const { name: manager } = this.world.identity;
    return this.run.cluster.apply(type, manifest, { manager, dryRun: true });
  }
}

/** A refusal may also be a 403 by a policy, or a 500, for example if a Service has two identical node ports. */
export const isRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && (isInvalid(error) || isDenied(error) || error.code === 500);

export function refusalIn(error: unknown): KubeError {
  if (!isRefusal(error)) throw error;
  return error;
}

export const refusedFields = ({ causes }: KubeError): readonly string[] =>
  causes.flatMap(({ field }) => field ?? []);

/**
 * Returns the result of a dry run, with a patch that clears what earlier applies left behind, so that the child equals
 * a newly created child. For example, the server derived a default from a field that we no longer set. `upgraded` is
 * the child after the dry run of the apply, or of the patch `untangles` if there is one.
 *
 * Flow: dry-runs the creation of two objects: `newer` with the desired fields, `older` with the fields that we still
 * hold in the live child. A field was left behind if the child has the value of `older`, but not that of `newer`.
 * Guarantees: sends nothing if the desired fields are those that were applied last, or if each field of the child has a
 * manager. Clears only fields without a manager. If the server keeps a cleared field, the result is a refusal.
 * Caveats: clears nothing if the server refuses a new object, for example because of a quota or a taken node port.
 * Leaves types that expose paths alone, because clearing a field could open a path. Leaves Secrets alone, because a dry
 * run would send their values under another object's name.
 */
export async function withoutLeftovers(
  inquiry: Inquiry,
  upgraded: KubeObject,
  untangles?: readonly JsonObject[],
): Promise<DryRunResult> {
  const { world, question, sent } = inquiry;
  const result = untangles
    ? { after: inquiry.observeApplied(upgraded), untangles }
    : { after: inquiry.observe(upgraded) };
  if (!mayLeave(inquiry, result) || !hasUnheld(upgraded, world.identity)) return result;
  const newer = await inquiry.create(sent);
  if (newer === undefined) return result;
  const leftIn = (one: KubeObject, older: KubeObject): readonly Place[] =>
    Array.from(leftoversIn({ upgraded: one, older, newer }, world.identity));
  if (leftIn(upgraded, upgraded).length === 0) return result;
  const live = await inquiry.read();
  const held = fieldsHeld(live, world.identity);
  const older = held && (await inquiry.create(held));
  const left = older === undefined ? [] : leftIn(upgraded, older);
  if (older === undefined || left.length === 0) return result;
  const operations = patchWithout(left, { live, upgraded });
  const cleared = await inquiry.patch(operations);
  if (isDenied(cleared)) return result;
  const isRefused = cleared instanceof KubeError;
  const kept = isRefused ? namedBy(cleared, left) : leftIn(cleared, older);
  if (kept.length === 0 && !isRefused)
    return { after: inquiry.observeApplied(cleared), untangles: operations };
  // Names only the fields that we hold, if there are any, because the server may have derived the others.
  const given = kept.filter((place) => valueIn(held, place) !== undefined);
  const paths = (given.length > 0 ? given : kept).map(pathOf);
  const after = { ...inquiry.observe(newer), name: question.child.name };
  return { after, refusal: immutableFields(question, paths) };
}

/** Reports whether the apply drops or changes a field for a reason other than drift. */
function mayLeave({ world, child, question }: Inquiry, { after }: DryRunResult): boolean {
  const { type, fields } = question;
  if (type.exposure !== undefined || isSameType(type, secret) || !child?.ours) return false;
  const isDrift = appliedTo(world, child)?.desired === desiredDigest(fields, child.salt);
  return !isDrift && child.ours.values !== after?.ours?.values;
}

function namedBy(error: KubeError, places: readonly Place[]): readonly Place[] {
  const fields = refusedFields(error);
  const named = places.filter((place) => fields.includes(pathOf(place)));
  return named.length > 0 ? named : places;
}
