import {
  DeadlineError,
  isConflict,
  isDenied,
  isInvalid,
  KubeError,
  RequestError,
} from '../cluster/cluster-errors.ts';
import { isWithin } from '../kinds/impact.ts';
import { type KubeObject, keyOf } from '../kubernetes.ts';
import { immutableFields } from '../plan/decision/reasons.ts';
import { filledBeside } from '../plan/drift/beside.ts';
import { differencesBetween, isOwnershipOnly } from '../plan/drift/differences.ts';
import { type Place, placeOf } from '../plan/drift/places.ts';
import { parentOf, type Tangle, tangleOf } from '../plan/drift/untangle.ts';
import { desiredDigest } from '../plan/observed/applied.ts';
import type { Asked } from '../plan/observed/world.ts';
import { explain } from '../run/explain.ts';
import { timeLeft } from '../run/run.ts';
import {
  type DryRunResult,
  type Inquiry,
  isRefusal,
  refusalIn,
  refusedFields,
  withoutLeftovers,
} from './inquiry.ts';
import { StaleError } from './turn.ts';

/**
 * Finds out by dry runs what an apply would change.
 *
 * Flow: dry-runs the apply. If it is refused (`isRefusal`), tries patches that remove other managers' fields: at the
 * refused places, then around them. If none helps, tries to create an object with the same fields: if that succeeds,
 * the refused fields are immutable.
 *
 * Guarantees: writes nothing. Throws a StaleError if the child has changed since it was observed, unless its record in
 * the status shows no drift (`onlyChecks`). If the server cannot make a dry run, for example because a webhook has side
 * effects or hangs, the result has no `after`: only the apply will show what changes.
 */
export async function compareByDryRun(inquiry: Inquiry): Promise<Asked> {
  const { run, world, question } = inquiry;
  const { child, fields, lock } = question;
  const result = await resultOf(inquiry).catch(async (error: unknown): Promise<DryRunResult> => {
    const isStale = isConflict(error) || error instanceof StaleError;
    if (isStale && !question.onlyChecks) throw inquiry.stale();
    if (!isStale && !(error instanceof RequestError)) throw error;
    if (error instanceof DeadlineError && timeLeft(run) <= 0) throw error;
    const { message } = await explain(run, question.type, error, question);
    return { after: undefined, doubt: message };
  });
  const about = `${lock.uid}/${lock.resourceVersion}`;
  const asked = { version: about, desired: desiredDigest(fields, inquiry.child?.salt), ...result };
  world.asked.set(keyOf(child), asked);
  return asked;
}

async function resultOf(inquiry: Inquiry): Promise<DryRunResult> {
  await inquiry.readLong();
  const tried = async (): Promise<DryRunResult> =>
    withoutContradictions(inquiry, await withoutLeftovers(inquiry, await inquiry.apply()));
  const first = await tried().catch(refusalIn);
  if (!(first instanceof KubeError)) return first;
  // Untangles only the owners of an Ingress, because removing other fields could open a path.
  if (inquiry.question.type.exposure !== undefined && !isAboutOwners(first)) throw first;
  const result = await untangle(inquiry, await inquiry.read(), first);
  if (result.untangles === undefined || isInvalid(first)) return result;
  // A 500 may have had a transient cause, such as a failed webhook, so the apply is tried again.
  const again = await tried().catch(refusalIn);
  return again instanceof KubeError ? result : again;
}

const isAboutOwners = ({ causes }: KubeError): boolean =>
  causes.length > 0 && causes.every(({ field }) => field === 'metadata.ownerReferences');

const maxTries = 8;

async function untangle(
  inquiry: Inquiry,
  live: KubeObject,
  error: KubeError,
): Promise<DryRunResult> {
  const { run, sent, question } = inquiry;
  const tangle = tangleOf(live, sent, run.clients.identity);
  const placesIn = (refusal: KubeError) =>
    isDenied(refusal) ? [] : refusedFields(refusal).map(tangle.placeOf);
  const named = placesIn(error);
  const places = named.length > 0 ? named : tangle.newItems();
  // A 500 names no field, and may have nothing to do with the object. Nothing is removed to satisfy an admission policy.
  const mayHelp =
    named.length > 0 || (error.code === 500 && (await isAboutOthers(inquiry, tangle, places)));
  const attempts = mayHelp ? attemptsFor(tangle, places) : [];
  const tried = new Set<string>();
  for (let attempt = attempts.shift(); attempt; attempt = attempts.shift()) {
    const operations = tangle.without(attempt);
    const text = JSON.stringify(operations);
    if (operations === undefined || tried.has(text)) continue;
    if (tried.size === maxTries) break;
    tried.add(text);
    const result = await inquiry.patch(operations);
    if (!(result instanceof KubeError)) return withoutLeftovers(inquiry, result, operations);
    const found = placesIn(result).filter((place) => !includes([...attempt, ...places], place));
    if (found.length > 0) attempts.unshift([...attempt, ...found]);
  }
  const fixed = isInvalid(error) ? await refusedForGood(inquiry, error) : undefined;
  if (fixed !== undefined) return fixed;
  const failure = await explain(run, question.type, error, question);
  const holders = tangle.holders(named);
  const isTangled = failure.reason === 'Invalid' && holders.length > 0;
  const by = isTangled ? `; fields there were set by ${holders.join(', ')}` : '';
  return { after: undefined, refusal: { ...failure, message: `${failure.message}${by}` } };
}

/** Reports whether other managers' fields beside ours cause the 500: without them, the server does not return 500. */
async function isAboutOthers(
  inquiry: Inquiry,
  tangle: Tangle,
  places: readonly Place[],
): Promise<boolean> {
  const operations = tangle.without([...tangle.otherItems(places), ...tangle.otherFields(places)]);
  const result = operations && (await inquiry.patch(operations));
  const mayHelp = result !== undefined && (!(result instanceof KubeError) || isInvalid(result));
  return mayHelp && !(await inquiry.failsAnew());
}

async function refusedForGood(
  inquiry: Inquiry,
  error: KubeError,
): Promise<DryRunResult | undefined> {
  const { child, question, sent } = inquiry;
  const fields = refusedFields(error);
  // A refusal that names no field may be about the object's name, so a creation under another name proves nothing.
  if (child === undefined || fields.length === 0) return undefined;
  const made = await inquiry.create(sent);
  if (made === undefined) return undefined;
  const after = { ...inquiry.observe(made), name: question.child.name };
  // Omits fields (often defaults) that only other managers own.
  const paths = differencesBetween(child, after)
    .filter((one) => !isOwnershipOnly(one) && !(one.to === undefined && one.writer !== undefined))
    .map(({ path }) => path)
    .filter((path) => !isWithin(path, 'metadata'));
  if (paths.length === 0) return undefined;
  const isRefused = (path: string): boolean =>
    fields.some((field) => isWithin(path, field) || isWithin(field, path));
  const refused = paths.filter(isRefused);
  // If no refused field that we set differs, admission changes it in creations only: it need not be immutable.
  const isOurs = fields.some((field) => placeOf(sent, field) !== undefined);
  if (refused.length === 0 && isOurs) return undefined;
  return { after, refusal: immutableFields(question, refused.length > 0 ? refused : paths) };
}

/**
 * Returns the sets of places to clear, in the order in which to try them:
 * 1. the refused places, then their parents, grandparents and so on, up to list items (`parentOf`);
 * 2. all list items with the same value as a refused place, alone and then with the refused places;
 * 3. one by one, the other list items, then the fields of other managers near a refused place;
 * 4. all other list items at once.
 */
function attemptsFor(tangle: Tangle, named: readonly Place[]): (readonly Place[])[] {
  const attempts = [named];
  for (let places = named; places.some(parentOf); attempts.push(places))
    places = places.map((place) => parentOf(place) ?? place);
  const [items, equal] = [tangle.otherItems(named), tangle.equalItems(named)];
  const single = [...items, ...tangle.otherFields(named)].map((place) => [place]);
  return [...attempts, equal, [...named, ...equal], ...single, items];
}

/**
 * Adds to the result a patch that removes other managers' fields if they contradict an empty string of ours in the same
 * map, such as `valueFrom` beside `value: ''`. The server accepts both, because it drops the empty string.
 *
 * Flow: dry-runs the apply with some text in place of each empty string. If that is refused, dry-runs a patch that
 * removes the refused fields of others beside the empty strings.
 * Guarantees: sends a request only if the server has dropped an empty string and others hold a field beside it.
 * Caveats: skips types that expose paths, because removing a field could open a path.
 */
async function withoutContradictions(
  inquiry: Inquiry,
  result: DryRunResult,
): Promise<DryRunResult> {
  const { ours } = result.after ?? {};
  const isDecided = result.untangles !== undefined || result.refusal !== undefined;
  if (isDecided || inquiry.question.type.exposure !== undefined) return result;
  const filled = filledBeside(inquiry.sent, { ours });
  if (filled === undefined) return result;
  const refusal = await inquiry.apply(filled).catch((error: unknown) => error);
  if (!isRefusal(refusal) || isDenied(refusal)) return result;
  const isBeside = (place: Place): boolean =>
    (ours?.beside ?? []).some((path) => path.endsWith(`.${place.at(-1)}`));
  const tangle = tangleOf(await inquiry.read(), inquiry.sent, inquiry.world.identity);
  const operations = tangle.without(refusedFields(refusal).map(tangle.placeOf).filter(isBeside));
  if (operations === undefined) return result;
  const patched = await inquiry.patch(operations);
  if (patched instanceof KubeError) return result;
  return { after: inquiry.observeApplied(patched), untangles: operations };
}

const includes = (places: readonly Place[], place: Place): boolean =>
  places.some((one) => one.join('\n') === place.join('\n'));
