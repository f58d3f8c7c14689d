import { childrenProblems } from '../infra/check/check-children.ts';
import { checkKinds } from '../infra/check/check-kinds.ts';
import { unmatchedSelections } from '../infra/check/selections.ts';
import type { ReconcilerConfig } from '../shared/config/define-config.ts';
import { type Child, titleOfChild } from '../shared/kinds/child.ts';
import { builtInTypes } from '../shared/kinds/child-types/built-in-types.ts';
import type { Kind } from '../shared/kinds/kind.ts';
import { includesType, isClusterScoped, titleOf } from '../shared/kubernetes.ts';
import {
  requireEnvironment,
  requireManifest,
  requireOptions,
  requireResource,
  requireThat,
} from './arguments.ts';
import { requireCollected } from './collected.ts';
import { desiredChildrenOf } from './desired-children.ts';
import { type Drifted, driftOf, type SkippedChange } from './drift/drift-law.ts';
import { requireObserved } from './drift/observed-law.ts';
import { referencesOfKind, requireFollowed } from './followed-references.ts';
import { breach, laws } from './law.ts';
import { openTestEnvironment, titleIn } from './open-test-environment.ts';
import {
  namespaceOfChild,
  plannedChanges,
  type RehearsedResource,
  readResource,
  rehearse,
  type StatusFor,
  settleGiven,
  settleResource,
} from './rehearse.ts';
import { configOf, kindOf } from './target.ts';
import type { AppliedResource, TestEnvironmentOptions } from './test-environment.ts';
import type { AppliedObject } from './user.ts';

/** Options of `expectConverged`. */
export interface ConvergenceOptions extends Pick<TestEnvironmentOptions, 'environment'> {
  /** The kind to test, or its name; required if the configuration has several. */
  readonly kind?: string | Kind;
  /** The resource to test; default: the kind's first sample. */
  readonly resource?: AppliedResource;
  /** Objects to apply first, such as CRDs of custom children and objects that the kind reads. */
  readonly given?: readonly AppliedObject[];
  /**
   * Stands in for the controllers of custom children: returns the status that they give a live child, or undefined to
   * leave it alone. By default custom children get no status.
   */
  readonly statusFor?: StatusFor;
}

/** The result of `expectConverged`. */
export interface Convergence {
  /** The children, such as `Deployment shop`. */
  readonly children: readonly string[];
  /** Number of changes and removals of single fields that runs repaired. */
  readonly repaired: number;
  /** Changes that could not be tested, with reasons. Most of them are refused by the API server. */
  readonly skipped: readonly SkippedChange[];
  /** Selectors, targets and ports that match no child. `generate` prints the same warnings for samples. */
  readonly warnings: readonly string[];
}

/**
 * Tests, on an embedded cluster, that a kind keeps the engine's laws:
 * - `children` is pure;
 * - the first run creates every child that waits for no other child, and later runs create the rest;
 * - a run without changes writes nothing;
 * - after a change to a ConfigMap or Secret that the kind reads, the run for the audit event updates the children;
 * - one run restores each field that another writer changes or removes, and each deleted child;
 * - while the resource is only observed, runs only write its status, which names the drift;
 * - each run sends what its plan says;
 * - a deleted resource leaves no child behind, after its clean-up if the kind has one;
 * - `generate` finds no problem with the kind's samples, even under other names.
 *
 * Rejects with an AssertionError that names the law, the child, the field and the value found.
 */
export async function expectConverged(
  target: Kind | ReconcilerConfig,
  options: ConvergenceOptions = {},
): Promise<Convergence> {
  requireOptions(options, knownOptions);
  const { given = [], environment = {}, statusFor } = options;
  requireEnvironment(environment);
  requireThat(Array.isArray(given), ['given', given], 'a list of manifests');
  for (const [at, object] of given.entries()) requireManifest(`given[${at}]`, object);
  if (options.resource !== undefined) requireResource(options.resource);
  const config = configOf(target);
  const opened = await openTestEnvironment(config, {
    environment: { CONCURRENCY: '1', ...environment },
    controllers: 'paused',
  });
  try {
    const kind = kindOf(opened.env.kinds, options.kind);
    const resource = options.resource ?? sampleOf(kind);
    for (const object of given) await opened.env.apply(object);
    await settleGiven(opened, given);
    const { name } = resource;
    const namespace = isClusterScoped(kind) ? '' : (resource.namespace ?? 'default');
    // Lists each type first, because the error of a list names a type that is not served.
    for (const type of kind.owns) await opened.env.list(type, { namespace });
    await opened.env.apply(kind, resource);
    const what = titleIn(kind, name, { namespace });
    const convergence = await examine({ ...opened, kind, name, namespace, what, statusFor });
    await requireSound(kind, what);
    return convergence;
  } finally {
    await opened.env.close();
  }
}

const knownOptions: readonly (keyof ConvergenceOptions)[] = [
  'kind',
  'resource',
  'given',
  'environment',
  'statusFor',
];

function sampleOf({ kind, samples: [sample] }: Kind): AppliedResource {
  if (sample !== undefined) return sample;
  throw new Error(`expectConverged: ${kind} has no samples; pass a resource`);
}

async function examine(subject: RehearsedResource): Promise<Convergence> {
  const { kind } = subject;
  const resource = await readResource(subject);
  const desired = desiredChildrenOf(kind, resource, {
    reads: await referencesOfKind(subject, resource),
  });
  await requireCreated(subject, desired);
  await requireReadied(subject);
  const notFollowed = await requireFollowed(subject, resource);
  if (kind.refersTo.length > 0) await requireReadied(subject);
  const drifted: Drifted[] = [];
  for (const child of desired) {
    drifted.push(await driftOf(subject, child));
    await requireRepaired(subject);
  }
  await requireObserved(subject, desired);
  await requireRepaired(subject);
  await requireCollected(subject);
  await requireQuiet(subject);
  const problems = childrenProblems(kind, desired);
  if (problems.length > 0) throw breach(laws.sound, subject.what, problems);
  return {
    children: desired.map(titleOfChild),
    repaired: drifted.reduce((sum, { repaired }) => sum + repaired, 0),
    skipped: [...notFollowed, ...drifted.flatMap(({ skipped }) => skipped)],
    warnings: unmatchedSelections(desired),
  };
}

/** Skips a kind without samples, which `generate` would refuse. */
async function requireSound(kind: Kind, what: string): Promise<void> {
  const { problems } = kind.samples.length === 0 ? { problems: [] } : await checkKinds([kind]);
  if (problems.length > 0) throw breach(laws.sound, what, problems);
}

async function requireCreated(
  subject: RehearsedResource,
  desired: readonly Child[],
): Promise<void> {
  const { what } = subject;
  let { preview, report, deviation } = await rehearse(subject);
  let missing = await missingOf(subject, desired);
  // Makes further runs, because children may wait for steps or for other children.
  while (missing.length > 0 && report.outcomes.skipped > 0) {
    await settleResource(subject);
    ({ preview, report, deviation } = await rehearse(subject));
    const left = await missingOf(subject, desired);
    if (left.length === missing.length) break;
    missing = left;
  }
  if (report.failures.length + missing.length > 0)
    throw breach(laws.created, what, [
      ...missing.map((child) => `${titleOfChild(child)} does not exist`),
      ...report.failures.map(({ reason, message }) => `${reason}: ${message}`),
      ...(report.failures.length === 0 ? plannedChanges(preview) : []),
      ...(missing.some(waitsForCustom) ? [hint] : []),
    ]);
  // Throws `deviation` last: for a child that never settles, the error of `requireRepaired` is more precise.
  await requireRepaired(subject);
  if (deviation !== undefined) throw deviation;
}

const waitsForCustom = ({ needs = [] }: Child): boolean =>
  needs.some(({ type, until }) => until === 'ready' && !includesType(builtInTypes, type));

const hint =
  'if a child waits for a custom resource, pass statusFor to stand in for the controller';

async function missingOf(
  subject: RehearsedResource,
  desired: readonly Child[],
): Promise<readonly Child[]> {
  const { env, kind, name, namespace } = subject;
  const live = await env.children(kind, name, { namespace });
  const found = live.map(({ kind: type, metadata }) => titleOf({ ...metadata, kind: type }));
  return desired.filter((child) => {
    const where = namespaceOfChild(subject, child);
    return !found.includes(titleOf({ kind: child.type.kind, name: child.name, ...where }));
  });
}

async function requireQuiet(subject: RehearsedResource): Promise<void> {
  const { preview, writes, deviation } = await rehearse(subject);
  if (writes.length > 0)
    throw breach(laws.quiet, subject.what, [
      ...plannedChanges(preview),
      ...writes.map(({ verb, path, status }) => `${verb} ${path} ${status}`),
    ]);
  if (deviation !== undefined) throw deviation;
}

/**
 * Requires that, once the children are ready, one run writes only status and Events, and the next run nothing. A kind
 * that reads itself may write the status in two runs, because the first one may change what the second one reads.
 */
async function requireReadied(subject: RehearsedResource): Promise<void> {
  await settleResource(subject);
  await requireOnlyStatus(subject);
  if (includesType(subject.kind.refersTo, subject.kind)) await requireOnlyStatus(subject);
  await requireQuiet(subject);
}

async function requireOnlyStatus(subject: RehearsedResource): Promise<void> {
  const { kind, what } = subject;
  const { preview, writes, deviation } = await rehearse(subject);
  const others = writes.filter(
    ({ resource, subresource }) =>
      !(resource === kind.plural && subresource === 'status') && resource !== 'events',
  );
  if (others.length > 0) throw breach(laws.quiet, what, plannedChanges(preview));
  if (deviation !== undefined) throw deviation;
}

/**
 * Requires that a run after a creation or a repair writes nothing. If the kind reads its own children, first delivers the
 * audit events, and allows one run that writes only status and Events.
 */
async function requireRepaired(subject: RehearsedResource): Promise<void> {
  const { env, kind } = subject;
  if (!kind.owns.some((type) => includesType(kind.refersTo, type))) return requireQuiet(subject);
  await env.deliver();
  await requireReadied(subject);
}
