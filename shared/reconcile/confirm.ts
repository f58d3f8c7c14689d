import { canonicalJson } from '../canonical.ts';
import { ingress } from '../kinds/child-types.ts';
import type { KubeObject } from '../kubernetes.ts';
import { type Decision, isWriting } from '../plan/decision.ts';
import { doorPaths, isOpaque } from '../plan/exposures.ts';
import { childLabels } from '../plan/manifest.ts';
import { type Glance, glanceAt } from '../plan/observed.ts';
import { isOwn } from '../plan/ownership.ts';
import { keyOf, refTo, type Unseen } from '../plan/world.ts';
import type { Performance } from './performance.ts';
import type { Run } from './run.ts';
import { BesideError, StaleError } from './stale.ts';
import { isSameRequest, lookAtResource, type View } from './view.ts';

/** How long a specification that was read counts as fresh, in milliseconds. */
export const maxAgeMs = 10_000;

/**
 * Reads once more, just before a write that deletes, withdraws or exposes, and before any write
 * that was decided long ago.
 *
 * Flow: the resource has to be unchanged in what it asks for; before a write of an Ingress, the others
 * must still expose what they did when the order was computed, as each write relies on all of them.
 * Guarantees: otherwise a StaleError, and the resource is planned again.
 * Caveats: a change in the instant between this read and the write stays possible; the commit
 * that ends this resource's run, or the next run, finds it.
 */
export async function confirm(
  run: Run,
  performance: Performance,
  decision: Decision,
): Promise<void> {
  const { view } = performance;
  if (!isWriting(decision)) return;
  if ('heldBy' in decision) await confirmUnheld(run, view, decision);
  const now = run.now().getTime();
  const exposes = decision.type.kind === ingress.kind;
  const isOld = now > performance.freshUntil;
  if (decision.verb !== 'delete' && !exposes && !isOld) return;
  const fresh = await lookAtResource(run, view);
  if (fresh === undefined || !isSameRequest(fresh, view.resource)) throw stale(decision);
  performance.freshUntil = now + maxAgeMs;
  const changed = exposes ? await changedBeside(run, performance) : undefined;
  if (changed !== undefined) throw new BesideError(nameOf(decision), changed);
}

const nameOf = ({ verb, child: { kind, name } }: Decision): string => `${verb} ${kind} ${name}`;

const stale = (decision: Decision): StaleError => new StaleError(nameOf(decision));

/** Data is generated only while nothing exists that relies on older data. */
async function confirmUnheld(
  { cluster }: Run,
  { resource: { namespace }, children }: View,
  decision: Decision & { readonly heldBy?: readonly Unseen[] },
): Promise<void> {
  for (const { type, ...ref } of decision.heldBy ?? []) {
    const live = await cluster.getMetadata(type, { namespace, name: ref.name });
    if (live !== undefined && !children.has(keyOf(ref))) throw stale(decision);
  }
}

/** An Ingress of the resource that differs from the view; one given up has no other paths than it had. */
async function changedBeside(
  { cluster }: Run,
  { view: { kind, resource, children }, unsteady }: Performance,
): Promise<Pick<BesideError, 'child' | 'paths'> | undefined> {
  const { namespace, name } = resource;
  const live = new Map<string, Glance>();
  const keep = (object: KubeObject): void => {
    const child = glanceAt(object);
    if (isOwn(resource, child)) live.set(child.name, child);
  };
  await cluster.list(ingress, { namespace, labels: childLabels(kind, name) }, keep);
  const known = new Map(
    [...children.values()]
      .filter((child) => child.kind === ingress.kind && isOwn(resource, child))
      .map((child) => [child.name, child]),
  );
  // One that lost its labels is in no list of ours.
  for (const unlisted of known.keys())
    if (!live.has(unlisted)) await cluster.list(ingress, { namespace, name: unlisted }, keep);
  for (const one of new Set([...known.keys(), ...live.keys()])) {
    const [before, after] = [known.get(one), live.get(one)];
    if (before && after && isAsSeen(before, after)) continue;
    const child = refTo(ingress, one);
    const paths = after === undefined ? [] : doorPaths(after);
    const followed = unsteady.get(keyOf(child))?.paths;
    if (followed !== undefined && paths.every((path) => followed.has(path))) continue;
    return { child, paths: [...paths, ...(before === undefined ? [] : doorPaths(before))] };
  }
  return undefined;
}

/** Where the rules were not kept, the order assumes the worst, whatever they are now. */
const isAsSeen = (before: Glance, after: Glance): boolean =>
  isOpaque(before)
    ? before.uid === after.uid && before.deleting === after.deleting
    : exposureOf(before) === exposureOf(after);

/** What the order of exposures depends on; the version changes with every status write, too. */
const exposureOf = ({ uid, deleting, facts }: Glance): string =>
  canonicalJson({ uid, deleting, facts });
