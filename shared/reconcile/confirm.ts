import { canonicalJson } from '../canonical.ts';
import { ingress } from '../kinds/child-types.ts';
import type { KubeObject } from '../kubernetes.ts';
import { type Decision, isWriting } from '../plan/decision.ts';
import { childLabels } from '../plan/manifest.ts';
import { type ObservedChild, observeChild } from '../plan/observed.ts';
import { isOwn } from '../plan/ownership.ts';
import { keyOf, type Unseen } from '../plan/world.ts';
import type { Performance } from './perform.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';
import { isSameRequest, lookAtResource, type View } from './view.ts';

/** How long a specification that was read counts as fresh, in milliseconds. */
export const maxAgeMs = 10_000;

/**
 * Looks once more, just before what takes something away or lets somebody in, and before any write
 * that was decided on long ago.
 *
 * Flow: the resource has to ask for the same still; before a write of an Ingress, those beside it
 * have to expose what they did when the order was made, as each write relies on all of them.
 * Guarantees: else a StaleError, and it is planned again.
 * Caveats: what happens in the instant between this look and the write stays possible; the commit
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
  if (exposes && !(await isAsSeen(run, view))) throw stale(decision);
}

const stale = ({ verb, child: { kind, name } }: Decision): StaleError =>
  new StaleError(`${verb} ${kind} ${name}`);

/** Data is made only while nothing that relies on older data has come to be. */
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

/** Whether the resource's Ingresses are those of the view and expose the same. */
async function isAsSeen({ cluster }: Run, { kind, resource, children }: View): Promise<boolean> {
  const { namespace, name } = resource;
  const live = new Map<string, string>();
  const keep = (object: KubeObject): void => {
    const child = observeChild(object);
    if (isOwn(resource, child)) live.set(child.name, exposureOf(child));
  };
  await cluster.list(ingress, { namespace, labels: childLabels(kind, name) }, keep);
  const known = [...children.values()].filter(
    (child) => child.kind === ingress.kind && isOwn(resource, child),
  );
  // One that lost its labels is in no list of ours.
  for (const { name: unlisted } of known.filter((child) => !live.has(child.name)))
    await cluster.list(ingress, { namespace, name: unlisted }, keep);
  return (
    live.size === known.length && known.every((child) => live.get(child.name) === exposureOf(child))
  );
}

/** What the order of exposures rests on; the version moves with every write of its status, too. */
const exposureOf = ({ uid, deleting, facts }: ObservedChild): string =>
  canonicalJson({ uid, deleting, facts });
