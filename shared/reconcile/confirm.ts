import { ingress } from '../kinds/child-types.ts';
import { type Decision, isWriting } from '../plan/decision.ts';
import { childLabels } from '../plan/manifest.ts';
import { isOwn } from '../plan/ownership.ts';
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
  const exposes = decision.type.kind === ingress.kind && isWriting(decision);
  if (decision.verb !== 'delete' && !exposes) return;
  const { kind, name } = decision.child;
  const fresh = await lookAtResource(run, view);
  if (fresh === undefined || !isSameRequest(fresh, view.resource))
    throw new StaleError(`${decision.verb} ${kind} ${name}`);
  if (!exposes) return;
  const known = [...view.children.values()]
    .filter((child) => child.kind === ingress.kind && isOwn(view.resource, child))
    .map(({ uid, resourceVersion }) => `${uid}/${resourceVersion}`);
  const live = await versionsOfIngresses(run, view);
  if (known.toSorted().join() !== live.toSorted().join())
    throw new StaleError(`${decision.verb} ${kind} ${name}`);
}

async function versionsOfIngresses(run: Run, view: View): Promise<readonly string[]> {
  const { kind, resource } = view;
  const { namespace, name } = resource;
  const versions: string[] = [];
  const labels = childLabels(kind, name);
  await run.cluster.list(ingress, { namespace, labels }, ({ metadata }) => {
    const controller = metadata.ownerReferences?.find((one) => one.controller === true);
    if (isOwn(resource, { controller }))
      versions.push(`${metadata.uid}/${metadata.resourceVersion}`);
  });
  return versions;
}
