import { keyOfChild } from '../../infra/check/check-children.ts';
import { type Child, type ChildName, issuerOf, titleOfChild } from '../../shared/kinds/child.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { finderIn } from '../../shared/plan/decision/desired.ts';
import { isPastNow } from '../desired-children.ts';
import { referencesOfKind } from '../followed-references.ts';
import { breach, laws } from '../law.ts';
import {
  ownedKinds,
  plannedChanges,
  type RehearsedResource,
  readResource,
  rehearse,
  resyncKinds,
  settleResource,
} from '../rehearse.ts';
import { passesOn } from '../specifications/specifications.ts';
import { type ClusterState, differencesOf, liveChildren, stateOf, titleOfLive } from './state.ts';

export interface Settled {
  readonly spec: JsonObject;
  readonly state: ClusterState;
  /** The desired children of this spec or, if the kind refuses it, of the previous spec. */
  readonly desired: readonly Child[];
  readonly reason: string;
  /** True if the state may depend on earlier specs, as when children are kept or the spec is refused. */
  readonly isExcepted: boolean;
}

const exceptions = ['InvalidSpec', 'PruningPending', 'Retained', 'CredentialsLost', 'ValueMissing'];

/** The maximum number of runs that write after an edit. A kind with steps needs a run for each step. */
export const mostRuns = 12;

/**
 * Makes runs until two in a row write nothing, and then requires the desired children. Writes that the API server
 * refuses do not count; the conditions of the resource must report them.
 */
export async function runUntilSettled(
  subject: RehearsedResource,
  former: Settled | undefined,
): Promise<Settled> {
  const { env } = subject;
  let wasQuiet = false;
  for (let runs = 0; ; runs++) {
    await settleResource(subject);
    env.requests();
    await resyncKinds(subject, [subject.kind, ...ownedKinds(subject)]);
    const writes = env.requests().filter(({ isWrite, status }) => isWrite && status < 400);
    const isQuiet = writes.length === 0;
    if (isQuiet && wasQuiet) break;
    const mayWrite = !wasQuiet && runs < mostRuns;
    wasQuiet = isQuiet;
    if (isQuiet || mayWrite) continue;
    await settleResource(subject);
    const { preview } = await rehearse(subject);
    throw breach(laws.quiet, subject.what, [
      `writes in run ${runs + 1} after the edit:`,
      ...writes.map(({ verb, path, status }) => `${verb} ${path.split('?')[0]} ${status}`),
      ...plannedChanges(preview),
    ]);
  }
  return judged(subject, former);
}

async function judged(subject: RehearsedResource, former: Settled | undefined): Promise<Settled> {
  const { env, kind, name, namespace, what, passedOn = [] } = subject;
  const where = { namespace };
  const { Ready, Stalled } = await env.conditions(kind, name, where);
  const reason = Ready?.reason ?? 'Unknown';
  const desired = reason === 'InvalidSpec' ? (former?.desired ?? []) : await desiredIn(subject);
  const state = await stateOf(subject, desired);
  // Reads the spec again, because the next edit may have been made during the run.
  const spec = (await env.get(kind, name, where))?.spec ?? {};
  // While a desired child is blocked, no unwanted child is deleted.
  const isExcepted =
    exceptions.includes(reason) || desired.some(({ blocked }) => blocked !== undefined);
  const settled = { spec, state, desired, reason, isExcepted };
  if (reason === 'InvalidSpec') {
    const differences =
      former === undefined ? [...state.keys()] : differencesOf(former.state, state);
    if (differences.length > 0) throw breach(laws.invalid, what, differences);
    return settled;
  }
  const expected = [
    'CredentialsLost',
    'Retained',
    'ValueMissing',
    ...desired.map(({ blocked }) => blocked?.reason),
  ];
  if (Stalled?.status === 'True' && !expected.includes(reason)) {
    if (passesOn(passedOn, spec)) return { ...settled, isExcepted: true };
    throw breach(laws.applied, what, [`${reason}: ${Stalled.message}`, remedy(reason)]);
  }
  await requireExact(subject, settled);
  return settled;
}

const remedy = (reason: string): string =>
  reason === 'ImmutableFieldChanged'
    ? 'make the field of the spec immutable (immutable, immutableOptional), or give the child a name that changes with it'
    : 'narrow the schema, add a rule, or refuse the spec in `refuse`';

export async function desiredIn(subject: RehearsedResource): Promise<readonly Child[]> {
  const { kind } = subject;
  const resource = await readResource(subject);
  if ('invalid' in kind.references(resource)) return [];
  const find = finderIn(await referencesOfKind(subject, resource));
  const desired = kind.desired(resource, find, isPastNow());
  return 'invalid' in desired ? [] : desired;
}

/**
 * Requires that exactly the desired children exist. Steps, expiring Jobs and held-back children may be missing. With
 * `isExcepted`, undesired children may exist.
 */
async function requireExact(
  subject: RehearsedResource,
  { desired, reason, isExcepted }: Settled,
): Promise<void> {
  const found = (await liveChildren(subject)).map((live) => titleOfLive(subject, live));
  const titles = desired.map(titleOfChild);
  const isHeld = ({ blocked, templates }: Child): boolean =>
    blocked !== undefined || (templates !== undefined && reason === 'ValueMissing');
  const held = heldBack(desired, isHeld);
  const missing = desired.filter(
    (child) =>
      child.step === undefined &&
      child.type.expires?.(child.body) !== true &&
      !held.has(keyOfChild(child)),
  );
  const seen = [
    ...missing
      .map(titleOfChild)
      .filter((title) => !found.includes(title))
      .map((title) => `${title} does not exist (Ready: ${reason})`),
    ...(isExcepted ? [] : found.filter((title) => !titles.includes(title))).map(
      (title) => `${title} is not desired, but still exists (Ready: ${reason})`,
    ),
  ];
  if (seen.length > 0) throw breach(laws.exact, subject.what, seen);
}

/** Returns the keys of children that cannot be written, and of children that wait for them. */
export function heldBack(
  desired: readonly Child[],
  isHeld: (child: Child) => boolean,
): ReadonlySet<string> {
  const held = new Set(desired.filter(isHeld).map(keyOfChild));
  const waits = (child: Child): boolean =>
    awaitedBy(child, desired).some((one) => held.has(keyOfChild(one)));
  for (let before = -1; before < held.size; ) {
    before = held.size;
    for (const child of desired.filter(waits)) held.add(keyOfChild(child));
  }
  return held;
}

const awaitedBy = (child: Child, desired: readonly Child[]): readonly ChildName[] => [
  ...(child.needs ?? []),
  ...[child.actsOn ?? [], issuerOf(child) ?? []].flat(),
  ...desired.filter((one) => isNamespaceOf(child, one) || isUsedBy(child, one)),
];

const isNamespaceOf = ({ namespace }: Child, { type, name }: Child): boolean =>
  type.kind === 'Namespace' && name === namespace;

const isUsedBy = (child: Child, { generated }: Child): boolean =>
  generated?.usedBy.some((user) => keyOfChild(user) === keyOfChild(child)) === true;

export function requireSame(
  law: (typeof laws)['fresh' | 'back' | 'admitted' | 'locked'],
  { what }: RehearsedResource,
  [from, to]: readonly [Settled, Settled],
): void {
  const differences = differencesOf(from.state, to.state);
  const ready = from.reason === to.reason ? [] : [`Ready: ${from.reason} → ${to.reason}`];
  if (differences.length + ready.length > 0) throw breach(law, what, [...differences, ...ready]);
}
