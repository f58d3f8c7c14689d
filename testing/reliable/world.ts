import { present } from '../../shared/json.ts';
import { configMap, secret, serviceAccount } from '../../shared/kinds/child-types/core.ts';
import { groupResource, isOfType, type JsonObject } from '../../shared/kubernetes.ts';
import { requireCollected } from '../collected.ts';
import { breach, laws } from '../law.ts';
import { openTestEnvironment, titleIn } from '../open-test-environment.ts';
import { type RehearsedResource, settleGiven } from '../rehearse.ts';
import { everywhere, type LiveObject, RefusedError } from '../user.ts';
import { admitted, isAdmission } from './admission.ts';
import { type ClusterSnapshot, resyncBehind, takeSnapshot } from './behind.ts';
import { disturb } from './disturb.ts';
import type { Sequence, Stage } from './sequence.ts';
import { requireSame, runUntilSettled, type Settled } from './settle.ts';
import { liveChildren, titleOfLive } from './state.ts';

interface Cluster extends RehearsedResource {
  /** Starts the clock, which stands still until then. */
  readonly startClock: () => void;
}

async function withCluster<T>(
  { config, given, environment, ...resource }: Stage,
  begin: number,
  act: (subject: Cluster) => Promise<T>,
): Promise<T> {
  let started: number | undefined;
  const startClock = () => {
    started ??= Date.now();
  };
  const opened = await openTestEnvironment(config, {
    environment: { CONCURRENCY: '1', ...environment },
    controllers: 'paused',
    clock: () => new Date(begin + (started === undefined ? 0 : Date.now() - started)),
  });
  try {
    for (const object of given) await opened.env.apply(object);
    const what = titleIn(resource.kind, resource.name, resource);
    const subject = { ...opened, ...resource, given, what, startClock };
    await settleGiven(subject, given);
    return await act(subject);
  } finally {
    await opened.env.close();
  }
}

/**
 * Makes the edits of a sequence on a cluster, and checks the laws after each edit and at the end. Skips a spec that
 * the API server refuses, for example by a transition rule.
 */
export async function playSequence(stage: Stage, sequence: Sequence): Promise<void> {
  const { kind } = stage;
  const wasAdmitted = sequence.disturbances?.some((one) => one && isAdmission(one)) === true;
  // The resources of both clusters have the same creation time, on which their children may depend.
  const begin = Date.now();
  const end = await withCluster(stage, begin, async (subject) => {
    let [first, last]: (Settled | undefined)[] = [];
    const moments: ClusterSnapshot[] = [];
    for (const [at, spec] of sequence.specs.entries()) {
      if (!(await isApplied(subject, spec))) continue;
      subject.startClock();
      moments.push(await snapshotOf(subject));
      if (last === undefined && stage.previous !== undefined)
        await subject.resyncAs([stage.previous]);
      last = await runsAfter(subject, { sequence, at, former: last });
      first ??= last;
      const how = sequence.disturbances?.[at];
      const moment = how && 'behind' in how ? (moments.at(-how.behind) ?? moments[0]) : undefined;
      if (moment !== undefined) await requireLocked(subject, last, moment);
    }
    if (first === undefined || last === undefined) return undefined;
    if (first !== last) await requireBack(subject, first, wasAdmitted ? laws.admitted : laws.back);
    // Does not test the deletion if the spec is invalid or a value is missing, because the clean-up would then
    // wait for `finalizeSeconds`.
    if (kind.finalize === undefined || !['InvalidSpec', 'ValueMissing'].includes(last.reason))
      await requireCollected(subject);
    return last;
  });
  if (end === undefined || end.isExcepted) return;
  await withCluster(stage, begin, async (subject) => {
    await isApplied(subject, end.spec);
    subject.startClock();
    const fresh = await runUntilSettled(subject, undefined);
    requireSame(wasAdmitted ? laws.admitted : laws.fresh, subject, [fresh, end]);
    const foreign = await placeForeign(subject);
    await runUntilSettled(subject, undefined);
    await requireUntouched(subject, foreign);
  });
}

async function isApplied({ env, kind, name, namespace }: RehearsedResource, spec: JsonObject) {
  try {
    const where = namespace === '' ? {} : { namespace };
    await env.apply(kind, { name, ...where, spec });
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

interface Edit {
  readonly sequence: Sequence;
  readonly at: number;
  readonly former: Settled | undefined;
}

async function runsAfter(
  subject: RehearsedResource,
  { sequence, at, former }: Edit,
): Promise<Settled> {
  const { env } = subject;
  const how = sequence.disturbances?.[at] ?? undefined;
  if (how !== undefined && isAdmission(how)) return admitted(subject, how, former);
  if (how !== undefined) {
    const next = sequence.specs[at + 1] ?? sequence.specs[at] ?? {};
    const end = await disturb(subject, how, () => isApplied(subject, next));
    // Ignores the error of a crashed run.
    const run = () => env.resync({ kind: groupResource(subject.kind) });
    await ('delivered' in how ? env.deliver() : run()).catch(() => undefined);
    end();
  }
  return runUntilSettled(subject, former);
}

/** Applies the first spec again. Requires the same state as the first time, unless one of the two `isExcepted`. */
async function requireBack(
  subject: RehearsedResource,
  first: Settled,
  law: Parameters<typeof requireSame>[0],
): Promise<void> {
  if (first.isExcepted || !(await isApplied(subject, first.spec))) return;
  const again = await runUntilSettled(subject, undefined);
  if (!again.isExcepted) requireSame(law, subject, [first, again]);
}

const snapshotOf = ({ env, kind, namespace }: RehearsedResource): Promise<ClusterSnapshot> =>
  takeSnapshot((type) => env.list(type, namespace === '' ? everywhere : { namespace }), kind);

/** Requires that a run that reads an older state changes no child. */
async function requireLocked(
  subject: RehearsedResource,
  settled: Settled,
  moment: ClusterSnapshot,
): Promise<void> {
  const before = await liveChildren(subject);
  await resyncBehind(subject, moment);
  const versions = (await liveChildren(subject)).map(versionOf);
  const changed = before.filter((live) => !versions.includes(versionOf(live)));
  if (changed.length > 0)
    throw breach(
      laws.locked,
      subject.what,
      changed.map((live) => `${titleOfLive(subject, live)} was changed or deleted`),
    );
  const again = await runUntilSettled(subject, settled);
  if (!settled.isExcepted && !again.isExcepted) requireSame(laws.locked, subject, [settled, again]);
}

const versionOf = ({ metadata: { uid, resourceVersion } }: LiveObject): string =>
  `${uid} ${resourceVersion}`;

const harmless = [configMap, secret, serviceAccount];

/** For each child of a `harmless` type, creates an object with the same labels and no owner. */
async function placeForeign(subject: RehearsedResource): Promise<readonly LiveObject[]> {
  const found = (await liveChildren(subject)).filter((live) => typeOf(live) !== undefined);
  return Promise.all(
    found.map(({ apiVersion = '', kind = '', metadata: { name, namespace, labels } }) =>
      subject.env.apply({
        apiVersion,
        kind,
        metadata: { name: `foreign-${name}`.slice(0, 253), ...present({ namespace, labels }) },
      }),
    ),
  );
}

const typeOf = (live: LiveObject) => harmless.find((type) => isOfType(live, type));

async function requireUntouched(
  { env, what }: RehearsedResource,
  foreign: readonly LiveObject[],
): Promise<void> {
  for (const object of foreign) {
    const { kind, metadata } = object;
    const { name, namespace = 'default' } = metadata;
    const type = typeOf(object);
    const live = type && (await env.get(type, name, { namespace }));
    if (live?.metadata.resourceVersion !== metadata.resourceVersion)
      throw breach(laws.untouched, what, [
        `${kind} ${name}, which the resource does not own, was changed or deleted`,
      ]);
  }
}
