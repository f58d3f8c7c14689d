import { DeadlineError, isConflict, isInvalid, KubeError } from '../cluster/cluster-errors.ts';
import { type JsonObject, type KubeObject, keyOf, titleOf } from '../kubernetes.ts';
import { changesBetween } from '../plan/drift/changes.ts';
import { type Place, placeOf, type Tangle, tangleOf, widened } from '../plan/drift/untangle.ts';
import { wantedDigest } from '../plan/observed/applied.ts';
import { manifestOf, salted } from '../plan/observed/apply-manifest.ts';
import { type Asked, namespaceOf } from '../plan/observed/world.ts';
import type { Question } from '../plan/plan.ts';
import { explain } from '../run/explain.ts';
import type { Run } from '../run/run.ts';
import type { LiveWorld } from '../run/state.ts';
import { StaleError } from './stale.ts';

/**
 * Asks the API server what an apply would change, by dry runs that are locked to the observed version.
 *
 * Flow: if the apply is refused as invalid (`refused` is an earlier refusal), tries patches that remove
 * fields of other managers at the refused places, then at wider ones.
 * Guarantees: writes nothing. Throws a StaleError if the child has changed since it was observed, unless it
 * is only compared. If there is no answer, for example because a webhook has side effects or hangs, the
 * result has no `changes`, and the apply itself will show them.
 */
export async function compareByDryRun(
  run: Run,
  world: LiveWorld,
  question: Question,
  refused?: KubeError,
): Promise<Asked> {
  const { ref, fields, version } = question;
  const salt = world.children.get(keyOf(ref))?.salt;
  const answer = await answerTo(run, world, question, refused).catch((error: unknown) => {
    const isStale = isConflict(error) || error instanceof StaleError;
    if (isStale && !question.compares)
      throw new StaleError(`compare ${titleOf(ref)}`, { changed: ref });
    if (error instanceof DeadlineError && isOver(run)) throw error;
    return { changes: undefined };
  });
  const about = `${version.uid}/${version.resourceVersion}`;
  const asked = { version: about, wanted: wantedDigest(fields, salt), ...answer };
  world.asked.set(keyOf(ref), asked);
  return asked;
}

const isOver = ({ clients, limits }: Run): boolean => clients.now().getTime() >= limits.deadline;

type Answer = Pick<Asked, 'changes' | 'untangles' | 'refusal'>;

async function answerTo(
  run: Run,
  world: LiveWorld,
  { ref, fields, version }: Question,
  refused: KubeError | undefined,
): Promise<Answer> {
  const { cluster, clients } = run;
  const { type, ...child } = ref;
  const namespace = namespaceOf(world.resource, ref);
  const live = await cluster.get(type, { namespace, name: ref.name });
  const { uid, resourceVersion } = live?.metadata ?? {};
  if (live === undefined || uid !== version.uid || resourceVersion !== version.resourceVersion)
    throw new StaleError(`compare ${titleOf(ref)}`, { changed: ref });
  const salt = world.children.get(keyOf(ref))?.salt;
  const sent = salt === undefined ? fields : salted(fields, salt);
  const manifest = manifestOf({ child, namespace }, sent, version);
  const { identity } = clients;
  const tried = async (): Promise<Answer> => {
    const answer = await cluster.apply(type, manifest, { manager: identity.name, dryRun: true });
    return { changes: changesBetween(live, answer, identity) };
  };
  try {
    if (refused !== undefined) throw refused;
    return await tried();
  } catch (error) {
    // Removing fields from an exposing object could open a path.
    if (!isRefusal(error) || (type.exposure !== undefined && !isAboutOwners(error))) throw error;
    const answer = await untangle(run, { ref, live, fields: sent, namespace }, error);
    if (answer.untangles === undefined || isInvalid(error)) return answer;
    // The internal error may have had another cause, such as a webhook, and be over.
    return tried().catch((again: unknown) => {
      if (isRefusal(again)) return answer;
      throw again;
    });
  }
}

const isAboutOwners = ({ causes }: KubeError): boolean =>
  causes.length > 0 && causes.every(({ field }) => field === 'metadata.ownerReferences');

interface Tangled {
  readonly ref: Question['ref'];
  readonly live: KubeObject;
  readonly fields: JsonObject;
  readonly namespace: string;
}

/** Limit of dry runs for one refusal. */
const maxTries = 8;

async function untangle(
  run: Run,
  { ref, live, fields, namespace }: Tangled,
  error: KubeError,
): Promise<Answer> {
  const { identity } = run.clients;
  const tangle = tangleOf(live, fields, identity);
  const named = placesIn(error);
  const places = named.length > 0 ? named : tangle.newItems();
  const attempts = attemptsFor(tangle, places);
  // A 500 names no field, and may also be a server in trouble.
  const most = named.length > 0 ? maxTries : 2;
  for (let tries = 0; tries < most; ) {
    const attempt = attempts.shift();
    if (attempt === undefined) break;
    const operations = tangle.without(attempt);
    if (operations === undefined) continue;
    tries++;
    const answer = await tryPatch(run, { ref, live, namespace }, operations);
    if (!(answer instanceof KubeError))
      return { changes: changesBetween(live, answer, identity), untangles: operations };
    const found = placesIn(answer).filter((place) => !includes([...attempt, ...places], place));
    if (found.length > 0) attempts.unshift([...attempt, ...found]);
  }
  const failure = await explain(run, ref.type, error);
  const holders = tangle.holders(named);
  const isTaken = failure.reason !== 'Invalid' || holders.length === 0;
  const by = isTaken ? '' : `; ${holders.join(', ')} set fields there`;
  return { changes: undefined, refusal: { ...failure, message: `${failure.message}${by}` } };
}

/**
 * Returns the places to remove, in the order of the attempts: the refused ones, wider ones up to a list item,
 * other items, single fields around them.
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
  { cluster, clients }: Run,
  { ref, live, namespace }: Omit<Tangled, 'fields'>,
  operations: readonly JsonObject[],
): Promise<KubeObject | KubeError> => {
  const { resourceVersion } = live.metadata;
  const manager = clients.identity.name;
  const patch = { manager, resourceVersion, operations, dryRun: true } as const;
  return cluster.patch(ref.type, { namespace, name: ref.name }, patch).catch((error: unknown) => {
    if (isRefusal(error)) return error;
    throw error;
  });
};

/** Reports whether the server refuses the object: as invalid, or with 500 for two equal node ports. */
export const isRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && (isInvalid(error) || error.code === 500);

const placesIn = ({ causes }: KubeError): readonly Place[] =>
  causes.flatMap(({ field }) => (field === undefined ? [] : [placeOf(field)]));

const includes = (places: readonly Place[], place: Place): boolean =>
  places.some((one) => one.join('\n') === place.join('\n'));
