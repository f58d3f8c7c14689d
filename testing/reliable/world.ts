import type { ReconcilerConfig } from '../../shared/config/define-config.ts';
import { present } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { configMap, secret, serviceAccount } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource, isOfType, type JsonObject } from '../../shared/kubernetes.ts';
import { finderIn } from '../../shared/plan/decision/desired.ts';
import { requireCollected } from '../collected.ts';
import { referencesOfKind } from '../followed-references.ts';
import { breach, laws } from '../law.ts';
import { plannedChanges, type RehearsedResource, rehearse, settleResource } from '../rehearse.ts';
import { openTestEnvironment, titleIn } from '../test-environment.ts';
import { type AppliedObject, type LiveObject, RefusedError } from '../user.ts';
import type { Course } from './course.ts';
import { disturb } from './disturb.ts';
import { type ClusterState, differencesOf, liveChildren, stateOf, titleOfLive } from './state.ts';

/** The kind, resource and environment with which courses (sequences of edits) are played. */
export interface Stage {
  readonly config: ReconcilerConfig | { readonly kinds: readonly Kind[] };
  readonly kind: Kind;
  /** The version of the kind that makes the first children, if it is another one. */
  readonly previous?: Kind | undefined;
  readonly name: string;
  /** Empty for a cluster-scoped kind. */
  readonly namespace: string;
  readonly given: readonly AppliedObject[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Opens a cluster that has only the given objects, and closes it after `act`. */
async function withCluster<T>(
  { config, given, environment, ...resource }: Stage,
  act: (subject: RehearsedResource) => Promise<T>,
): Promise<T> {
  const opened = await openTestEnvironment(config, {
    environment: { CONCURRENCY: '1', ...environment },
    controllers: 'paused',
  });
  try {
    for (const object of given) await opened.env.apply(object);
    const what = titleIn(resource.kind, resource.name, resource);
    return await act({ ...opened, ...resource, what });
  } finally {
    await opened.env.close();
  }
}

/** The state that the runs after an edit lead to. */
interface Settled {
  readonly spec: JsonObject;
  readonly state: ClusterState;
  /** `Ready`, or the reason of the Ready condition if it is not. */
  readonly reason: string;
  /** True if the state depends on the past: children are kept until a user acts, or the specification is refused. */
  readonly isExcepted: boolean;
}

/**
 * Makes the edits of a course on a cluster, and requires the laws after each edit and at the end. Skips a
 * specification that the API server refuses, for example by a transition rule.
 */
export async function playCourse(stage: Stage, course: Course): Promise<void> {
  const { kind } = stage;
  const end = await withCluster(stage, async (subject) => {
    let [first, last]: (Settled | undefined)[] = [];
    for (const [at, spec] of course.specs.entries()) {
      if (!(await isApplied(subject, spec))) continue;
      if (last === undefined && stage.previous !== undefined)
        await subject.resyncAs([stage.previous]);
      await firstRun(subject, course, at);
      last = await settle(subject, last);
      first ??= last;
    }
    if (first === undefined || last === undefined) return undefined;
    if (first !== last) await requireBack(subject, first);
    // Without a valid specification it is not known what to clean up.
    if (kind.finalize === undefined || last.reason !== 'InvalidSpec')
      await requireCollected(subject);
    return last;
  });
  if (end === undefined || end.isExcepted) return;
  await withCluster(stage, async (subject) => {
    await isApplied(subject, end.spec);
    const fresh = await settle(subject, undefined);
    requireSame(laws.fresh, subject, [fresh, end]);
    const foreign = await placeForeign(subject);
    await settle(subject, undefined);
    await requireUntouched(subject, foreign);
  });
}

const exceptions = ['InvalidSpec', 'PruningPending', 'Retained', 'CredentialsLost', 'ValueMissing'];

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

/** Makes the run after an edit, if the course has a disturbance for it. */
async function firstRun(subject: RehearsedResource, course: Course, at: number): Promise<void> {
  const { env } = subject;
  const how = course.disturbances?.[at] ?? undefined;
  if (how === undefined) return;
  const next = course.specs[at + 1] ?? course.specs[at] ?? {};
  const end = await disturb(subject, how, () => isApplied(subject, next));
  // Ignores the error of a crashed run.
  await ('delivered' in how ? env.deliver() : env.resync()).catch(() => undefined);
  end();
}

/** Limit of runs after an edit. Each step takes one run, and no specification needs so many. */
const mostRuns = 12;

/** Runs until nothing is written, and requires that the children are then as the kind wants them. */
async function settle(subject: RehearsedResource, former: Settled | undefined): Promise<Settled> {
  const { env, kind } = subject;
  for (let runs = 0; ; runs++) {
    await settleResource(subject);
    env.requests();
    await env.resync({ kind: groupResource(kind) });
    const writes = env.requests().filter(({ isWrite }) => isWrite);
    if (writes.length === 0) break;
    if (runs < mostRuns) continue;
    await settleResource(subject);
    const { preview } = await rehearse(subject);
    throw breach(laws.quiet, subject.what, [
      `run ${runs + 1} after the edit still writes:`,
      ...writes.map(({ verb, path, status }) => `${verb} ${path.split('?')[0]} ${status}`),
      ...plannedChanges(preview),
    ]);
  }
  return judged(subject, former);
}

async function judged(subject: RehearsedResource, former: Settled | undefined): Promise<Settled> {
  const { env, kind, name, namespace, what } = subject;
  const where = { namespace };
  const { Ready, Stalled } = await env.conditions(kind, name, where);
  const reason = Ready?.reason ?? 'Unknown';
  const wanted = await wantedIn(subject);
  const state = await stateOf(subject, wanted);
  // Reads the specification again, because the next edit may have been made during the run.
  const spec = (await env.get(kind, name, where))?.spec ?? {};
  // While a wanted child is blocked, no unwanted one is deleted.
  const isExcepted =
    exceptions.includes(reason) || wanted.some(({ blocked }) => blocked !== undefined);
  if (reason === 'InvalidSpec') {
    const differences =
      former === undefined ? [...state.keys()] : differencesOf(former.state, state);
    if (differences.length > 0) throw breach(laws.invalid, what, differences);
    return { spec, state, reason, isExcepted };
  }
  const expected = [
    'CredentialsLost',
    'Retained',
    'ValueMissing',
    ...wanted.map(({ blocked }) => blocked?.reason),
  ];
  if (Stalled?.status === 'True' && !expected.includes(reason))
    throw breach(laws.applied, what, [`${reason}: ${Stalled.message}`, remedy(reason)]);
  await requireExact(subject, wanted, { reason, isExcepted });
  return { spec, state, reason, isExcepted };
}

const remedy = (reason: string): string =>
  reason === 'ImmutableFieldChanged'
    ? 'make the field of the specification immutable (immutable, immutableOptional), or give the child a name that changes with it'
    : 'narrow the schema, add a rule, or explain it in refuse';

async function wantedIn(subject: RehearsedResource): Promise<readonly Child[]> {
  const { env, kind, name, namespace } = subject;
  const live = await env.get(kind, name, { namespace });
  const { uid = '' } = live?.metadata ?? {};
  const resource = { name, namespace, uid, spec: live?.spec ?? {} };
  if ('invalid' in kind.references(resource)) return [];
  const wanted = kind.desired(resource, finderIn(await referencesOfKind(subject, resource)));
  return 'invalid' in wanted ? [] : wanted;
}

/** Requires that exactly the wanted children exist. A complete step and an expired Job may be gone. */
async function requireExact(
  subject: RehearsedResource,
  wanted: readonly Child[],
  { reason, isExcepted }: Pick<Settled, 'reason' | 'isExcepted'>,
): Promise<void> {
  const found = (await liveChildren(subject)).map((live) => titleOfLive(subject, live));
  const titles = wanted.map(titleOfChild);
  const missing = wanted.filter(
    ({ type, blocked, step, body, templates }) =>
      blocked === undefined &&
      step === undefined &&
      type.expires?.(body) !== true &&
      !(templates !== undefined && reason === 'ValueMissing'),
  );
  const seen = [
    ...missing
      .map(titleOfChild)
      .filter((title) => !found.includes(title))
      .map((title) => `${title} does not exist (Ready: ${reason})`),
    ...(isExcepted ? [] : found.filter((title) => !titles.includes(title))).map(
      (title) => `${title} is not wanted, and still exists (Ready: ${reason})`,
    ),
  ];
  if (seen.length > 0) throw breach(laws.exact, subject.what, seen);
}

function requireSame(
  law: (typeof laws)['fresh' | 'back'],
  { what }: RehearsedResource,
  [from, to]: readonly [Settled, Settled],
): void {
  const differences = differencesOf(from.state, to.state);
  const ready = from.reason === to.reason ? [] : [`Ready: ${from.reason} → ${to.reason}`];
  if (differences.length + ready.length > 0) throw breach(law, what, [...differences, ...ready]);
}

/** Applies the first specification again, and requires its first state. Does nothing if a rule refuses that. */
async function requireBack(subject: RehearsedResource, first: Settled): Promise<void> {
  if (first.isExcepted || !(await isApplied(subject, first.spec))) return;
  const again = await settle(subject, undefined);
  if (!again.isExcepted) requireSame(laws.back, subject, [first, again]);
}

const harmless = [configMap, secret, serviceAccount];

/** Creates foreign objects: for each child without side effects one with the same labels and no owner. */
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
