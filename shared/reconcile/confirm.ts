import { ingress } from '../kinds/child-types.ts';
import { type Decision, isWriting } from '../plan/decision.ts';
import { childLabels } from '../plan/manifest.ts';
import { isOwn } from '../plan/ownership.ts';
import { keyOf, type Unseen } from '../plan/world.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';
import { isSameRequest, lookAtResource, type View } from './view.ts';

/**
 * Looks once more, just before what takes something away or lets somebody in.
 *
 * Flow: the resource has to ask for the same still; before a write of an Ingress, those beside it
 * have to be as they were when the order was made, as each write relies on all of them.
 * Guarantees: else a StaleError, and it is planned again.
 * Caveats: what happens in the instant between this look and the write stays possible; the commit
 * that ends this resource's run, or the next run, finds it.
 */
export async function confirm(run: Run, view: View, decision: Decision): Promise<void> {
  if ('heldBy' in decision) await confirmUnheld(run, view, decision);
  const exposes = decision.type.kind === ingress.kind && isWriting(decision);
  if (decision.verb !== 'delete' && !exposes) return;
  const fresh = await lookAtResource(run, view);
  if (fresh === undefined || !isSameRequest(fresh, view.resource)) throw stale(decision);
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

/** Whether the resource's Ingresses are those of the view, in the same versions. */
async function isAsSeen({ cluster }: Run, { kind, resource, children }: View): Promise<boolean> {
  const { namespace, name } = resource;
  const live = new Map<string, string>();
  const labels = childLabels(kind, name);
  await cluster.list(ingress, { namespace, labels }, ({ metadata }) => {
    const controller = metadata.ownerReferences?.find((one) => one.controller === true);
    if (isOwn(resource, { controller, namespace }))
      live.set(metadata.name, metadata.resourceVersion);
  });
  const known = [...children.values()].filter(
    (child) => child.kind === ingress.kind && isOwn(resource, child),
  );
  // One that lost its labels is in no list.
  for (const { name: unlisted } of known.filter((child) => !live.has(child.name))) {
    const metadata = await cluster.getMetadata(ingress, { namespace, name: unlisted });
    if (metadata !== undefined) live.set(unlisted, metadata.resourceVersion);
  }
  return (
    live.size === known.length &&
    known.every((child) => live.get(child.name) === child.resourceVersion)
  );
}
