import { DeadlineError, isConflict, isInvalid, KubeError } from '../../cluster/cluster-errors.ts';
import { isWithin } from '../../kinds/impact.ts';
import { type KubeObject, keyOf, titleOf } from '../../kubernetes.ts';
import { immutableFields } from '../../plan/decision/reasons.ts';
import { differencesBetween, isOwnershipOnly } from '../../plan/drift/differences.ts';
import type { Place } from '../../plan/drift/places.ts';
import { type Tangle, tangleOf, widened } from '../../plan/drift/untangle.ts';
import { wantedDigest } from '../../plan/observed/applied.ts';
import { salted } from '../../plan/observed/apply-manifest.ts';
import type { ObservedChild } from '../../plan/observed/observed.ts';
import type { Asked } from '../../plan/observed/world.ts';
import type { Question } from '../../plan/plan.ts';
import { explain } from '../../run/explain.ts';
import type { Run } from '../../run/run.ts';
import type { LiveWorld } from '../../run/state.ts';
import { StaleError } from '../stale.ts';
import { withoutContradictions } from './contradictions.ts';
import {
  applyDry,
  createDry,
  type DryRunAnswer,
  fieldsOf,
  type Inquiry,
  isRefusal,
  observedFor,
  patchDry,
  readAsked,
} from './inquiry.ts';
import { withoutLeftovers } from './leftovers.ts';

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

async function answerTo(inquiry: Inquiry, refused: KubeError | undefined): Promise<DryRunAnswer> {
  const { type } = inquiry.question.ref;
  const tried = async (): Promise<DryRunAnswer> =>
    withoutContradictions(inquiry, await withoutLeftovers(inquiry, await applyDry(inquiry)));
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

const isAboutOwners = ({ causes }: KubeError): boolean =>
  causes.length > 0 && causes.every(({ field }) => field === 'metadata.ownerReferences');

/** Limit of dry runs to resolve one refusal. */
const maxTries = 8;

async function untangle(
  inquiry: Inquiry,
  live: KubeObject,
  error: KubeError,
): Promise<DryRunAnswer> {
  const { run, question, sent } = inquiry;
  const { type } = question.ref;
  const tangle = tangleOf(live, sent, run.clients.identity);
  const placesIn = (refusal: KubeError) => fieldsOf(refusal).map(tangle.placeOf);
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
    const answer = await patchDry(inquiry, operations);
    if (!(answer instanceof KubeError)) return withoutLeftovers(inquiry, answer, operations);
    const found = placesIn(answer).filter((place) => !includes([...attempt, ...places], place));
    if (found.length > 0) attempts.unshift([...attempt, ...found]);
  }
  const fixed = isInvalid(error) ? await refusedForGood(inquiry, error) : undefined;
  if (fixed !== undefined)
    return { after: fixed.fresh, refusal: immutableFields(question.ref, fixed.paths) };
  const failure = await explain(run, type, error);
  const holders = tangle.holders(named);
  const isTaken = failure.reason !== 'Invalid' || holders.length === 0;
  const by = isTaken ? '' : `; ${holders.join(', ')} set fields there`;
  return { after: undefined, refusal: { ...failure, message: `${failure.message}${by}` } };
}

interface Recreated {
  readonly fresh: ObservedChild;
  readonly paths: readonly string[];
}

/** Returns a new object and the refused fields in which the child differs from it; undefined if it is refused, too. */
async function refusedForGood(inquiry: Inquiry, error: KubeError): Promise<Recreated | undefined> {
  const {
    world,
    question: { ref },
  } = inquiry;
  const child = world.children.get(keyOf(ref));
  const made = await createDry(inquiry, inquiry.sent).catch(() => undefined);
  if (child === undefined || made === undefined) return undefined;
  const fresh = observedFor(world, ref.type, made);
  // Leaves out fields that only other managers hold, such as defaults.
  const paths = differencesBetween(child, fresh)
    .filter((one) => !isOwnershipOnly(one) && !(one.to === undefined && one.writer !== undefined))
    .map(({ path }) => path)
    .filter((path) => !isWithin(path, 'metadata'));
  const fields = fieldsOf(error);
  const refused = paths.filter((path) =>
    fields.some((field) => isWithin(path, field) || isWithin(field, path)),
  );
  const named = refused.length > 0 ? refused : paths;
  return named.length > 0 ? { fresh: { ...fresh, name: ref.name }, paths: named } : undefined;
}

/**
 * Returns the places to remove, in the order of the attempts: the refused ones, wider ones up to a list item,
 * list items equal to the refused ones, other items of the list, single fields around them.
 */
function attemptsFor(tangle: Tangle, named: readonly Place[]): (readonly Place[])[] {
  const attempts: (readonly Place[])[] = [];
  let places = named;
  for (; places.length > 0; places = places.map(widened).filter((place) => place !== undefined))
    attempts.push(places);
  const items = tangle.otherItems(named);
  const fields = tangle.otherFields(named);
  attempts.push(tangle.equalItems(named));
  return [...attempts, ...[...items, ...fields].map((place) => [place]), items];
}

const includes = (places: readonly Place[], place: Place): boolean =>
  places.some((one) => one.join('\n') === place.join('\n'));
