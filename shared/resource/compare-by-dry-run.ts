import { DeadlineError, isConflict, isInvalid, KubeError } from '../cluster/cluster-errors.ts';
import { present } from '../json.ts';
import type { ChildType } from '../kinds/child-type.ts';
import { isWithin } from '../kinds/impact.ts';
import { type JsonObject, type KubeObject, keyOf, type ObjectRef, titleOf } from '../kubernetes.ts';
import { immutableReason } from '../plan/decision/reasons.ts';
import { trialName } from '../plan/decision/steps.ts';
import { differencesBetween, isOwnershipOnly } from '../plan/drift/differences.ts';
import { type Place, placeOf, type Tangle, tangleOf, widened } from '../plan/drift/untangle.ts';
import { wantedDigest } from '../plan/observed/applied.ts';
import { manifestOf, salted } from '../plan/observed/apply-manifest.ts';
import { withoutFormerApplies } from '../plan/observed/former.ts';
import { type ObservedChild, observeChild, openEntry } from '../plan/observed/observed.ts';
import { shortJson } from '../plan/observed/short-text.ts';
import { type Asked, type FailedRequest, namespaceOf } from '../plan/observed/world.ts';
import type { Question } from '../plan/plan.ts';
import { explain } from '../run/explain.ts';
import type { Run } from '../run/run.ts';
import type { LiveWorld } from '../run/state.ts';
import { StaleError } from './stale.ts';

/**
 * Asks the API server what an apply would change, by dry runs that are locked to the observed version.
 *
 * Flow: if the apply is refused as invalid (`refused` is an earlier refusal), tries patches that remove other
 * managers' fields at the refused places, then around them. If none helps, tries to create an object with the
 * same fields: if that succeeds, the refused fields are immutable.
 *
 * Guarantees: writes nothing. Throws a StaleError if the child has changed since it was observed; not if the
 * dry run only confirms the record (`compares`). Without an answer, for example because a webhook has side
 * effects or hangs, the result has no `after`, and the apply itself will show what changes.
 */
export async function compareByDryRun(
  run: Run,
  world: LiveWorld,
  question: Question,
  refused?: KubeError,
): Promise<Asked> {
  const { ref, fields, version } = question;
  const salt = world.children.get(keyOf(ref))?.salt;
  const sent = salt === undefined ? fields : salted(fields, salt);
  const answer = await answerTo({ run, world, question, sent }, refused).catch((error: unknown) => {
    const isStale = isConflict(error) || error instanceof StaleError;
    if (isStale && !question.compares)
      throw new StaleError(`compare ${titleOf(ref)}`, { changed: ref });
    if (error instanceof DeadlineError && isOver(run)) throw error;
    return { after: undefined };
  });
  const about = `${version.uid}/${version.resourceVersion}`;
  const asked = { version: about, wanted: wantedDigest(fields, salt), ...answer };
  world.asked.set(keyOf(ref), asked);
  return asked;
}

const isOver = ({ clients, limits }: Run): boolean => clients.now().getTime() >= limits.deadline;

type Answer = Pick<Asked, 'after' | 'untangles' | 'refusal'>;

interface Inquiry {
  readonly run: Run;
  readonly world: LiveWorld;
  readonly question: Question;
  /** The fields to apply, including the salt of a Secret. */
  readonly sent: JsonObject;
}

async function answerTo(inquiry: Inquiry, refused: KubeError | undefined): Promise<Answer> {
  const { type } = inquiry.question.ref;
  const tried = async (): Promise<Answer> => ({ after: await applyDry(inquiry) });
  try {
    if (refused !== undefined) throw refused;
    return await tried();
  } catch (error) {
    // Does not remove fields from an exposing object, because that could open a path.
    if (!isRefusal(error) || (type.exposure !== undefined && !isAboutOwners(error))) throw error;
    const answer = await untangle(inquiry, await readAsked(inquiry), error);
    if (answer.untangles === undefined || isInvalid(error)) return answer;
    // Tries once more: the internal error may have had another cause, such as a webhook, which is over.
    return tried().catch((again: unknown) => {
      if (isRefusal(again)) return answer;
      throw again;
    });
  }
}

/** Dry-runs an apply to the child; with `name`, the creation of an object of that name. */
async function applyDry(
  { run: { cluster, clients }, world, question: { ref, version }, sent }: Inquiry,
  name?: string,
): Promise<ObservedChild> {
  const { type, ...child } = ref;
  const about = {
    child: { ...child, ...present({ name }) },
    namespace: namespaceOf(world.resource, ref),
  };
  const manifest = manifestOf(about, sent, name === undefined ? version : 'absent');
  const manager = clients.identity.name;
  return observed(world, type, await cluster.apply(type, manifest, { manager, dryRun: true }));
}

const observed = ({ identity, resource }: LiveWorld, type: ChildType, live: KubeObject) =>
  observeChild(type, withoutFormerApplies(live, identity), { identity, from: resource.namespace });

/** Reads the child. Throws a StaleError if it no longer has the version that was observed. */
async function readAsked({
  run: { cluster },
  world,
  question: { ref, version },
}: Inquiry): Promise<KubeObject> {
  const namespace = namespaceOf(world.resource, ref);
  const live = await cluster.get(ref.type, { namespace, name: ref.name });
  const { uid, resourceVersion } = live?.metadata ?? {};
  if (live === undefined || uid !== version.uid || resourceVersion !== version.resourceVersion)
    throw new StaleError(`compare ${titleOf(ref)}`, { changed: ref });
  return live;
}

const isAboutOwners = ({ causes }: KubeError): boolean =>
  causes.length > 0 && causes.every(({ field }) => field === 'metadata.ownerReferences');

/** Limit of dry runs to resolve one refusal. */
const maxTries = 8;

async function untangle(inquiry: Inquiry, live: KubeObject, error: KubeError): Promise<Answer> {
  const { run, world, question, sent } = inquiry;
  const { type } = question.ref;
  const tangle = tangleOf(live, sent, run.clients.identity);
  const named = placesIn(error);
  const places = named.length > 0 ? named : tangle.newItems();
  const attempts = attemptsFor(tangle, places);
  // A 500 names no field, and may only mean that the server is in trouble, so it gets only two attempts.
  const most = named.length > 0 ? maxTries : 2;
  for (let tries = 0; tries < most; ) {
    const attempt = attempts.shift();
    if (attempt === undefined) break;
    const operations = tangle.without(attempt);
    if (operations === undefined) continue;
    tries++;
    const answer = await tryPatch(inquiry, operations);
    if (!(answer instanceof KubeError))
      return {
        after: holding(question.fields, observed(world, type, answer)),
        untangles: operations,
      };
    const found = placesIn(answer).filter((place) => !includes([...attempt, ...places], place));
    if (found.length > 0) attempts.unshift([...attempt, ...found]);
  }
  const fixed = isInvalid(error) ? await immutableFields(inquiry, error) : undefined;
  if (fixed !== undefined)
    return { after: fixed.fresh, refusal: immutable(question.ref, fixed.paths) };
  const failure = await explain(run, type, error);
  const holders = tangle.holders(named);
  const isTaken = failure.reason !== 'Invalid' || holders.length === 0;
  const by = isTaken ? '' : `; ${holders.join(', ')} set fields there`;
  return { after: undefined, refusal: { ...failure, message: `${failure.message}${by}` } };
}

/** Returns the patched child as our apply will leave it: the same values, and our ownership of these fields. */
function holding(fields: JsonObject, patched: ObservedChild): ObservedChild {
  const entries = [...(patched.ours ? [patched.ours] : []), ...patched.others].map(openEntry);
  const listKeys = Object.assign({}, ...entries.map((one) => one.listKeys));
  const shape = JSON.stringify({ listKeys, leafMaps: [] });
  return { ...patched, ours: { manager: '', time: undefined, values: shortJson(fields), shape } };
}

interface Recreated {
  readonly fresh: ObservedChild;
  readonly paths: readonly string[];
}

/**
 * Creates a new object by a dry run, and returns the refused fields in which the child differs from it.
 * Undefined if the creation is refused, too.
 */
async function immutableFields(
  inquiry: Inquiry,
  { causes }: KubeError,
): Promise<Recreated | undefined> {
  const {
    world,
    question: { ref },
  } = inquiry;
  const child = world.children.get(keyOf(ref));
  const fresh = await applyDry(inquiry, trialName(ref.name)).catch(() => undefined);
  if (child === undefined || fresh === undefined) return undefined;
  // Ignores fields that only other managers hold, such as defaults.
  const paths = differencesBetween(child, fresh)
    .filter((one) => !isOwnershipOnly(one) && !(one.to === undefined && one.writer !== undefined))
    .map(({ path }) => path)
    .filter((path) => !isWithin(path, 'metadata'));
  const fields = causes.flatMap(({ field }) => field ?? []);
  const refused = paths.filter((path) =>
    fields.some((field) => isWithin(path, field) || isWithin(field, path)),
  );
  const named = refused.length > 0 ? refused : paths;
  return named.length > 0 ? { fresh: { ...fresh, name: ref.name }, paths: named } : undefined;
}

const maxNamed = 3;

function immutable(child: ObjectRef, paths: readonly string[]): FailedRequest {
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  const fields = `${paths.slice(0, maxNamed).join(', ')}${more}`;
  const differ = paths.length === 1 ? 'differs' : 'differ';
  const message = `${titleOf(child)}: ${fields} ${differ} and cannot be changed; delete the ${child.kind} to have it recreated`;
  return { reason: immutableReason, message, transient: false };
}

/**
 * Returns the places to remove, in the order of the attempts: the refused ones, wider ones up to a list item,
 * other items of the list, single fields around them.
 */
function attemptsFor(tangle: Tangle, named: readonly Place[]): (readonly Place[])[] {
  const attempts: (readonly Place[])[] = [];
  let places = named;
  for (; places.length > 0; places = places.map(widened).filter((place) => place !== undefined))
    attempts.push(places);
  const items = tangle.otherItems(named);
  const fields = tangle.otherFields(named);
  return [...attempts, ...[...items, ...fields].map((place) => [place]), items];
}

/** Dry-runs a patch; returns the patched object, or the server's refusal. */
const tryPatch = (
  { run: { cluster, clients }, world, question: { ref, version } }: Inquiry,
  operations: readonly JsonObject[],
): Promise<KubeObject | KubeError> => {
  const namespace = namespaceOf(world.resource, ref);
  const { resourceVersion } = version;
  const manager = clients.identity.name;
  const patch = { manager, resourceVersion, operations, dryRun: true } as const;
  return cluster.patch(ref.type, { namespace, name: ref.name }, patch).catch((error: unknown) => {
    if (isRefusal(error)) return error;
    throw error;
  });
};

/** Reports whether the server refuses the object: as invalid, or with 500 if two node ports are equal. */
export const isRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && (isInvalid(error) || error.code === 500);

const placesIn = ({ causes }: KubeError): readonly Place[] =>
  causes.flatMap(({ field }) => (field === undefined ? [] : [placeOf(field)]));

const includes = (places: readonly Place[], place: Place): boolean =>
  places.some((one) => one.join('\n') === place.join('\n'));
