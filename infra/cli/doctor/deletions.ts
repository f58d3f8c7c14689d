import type { Kind } from '../../../shared/kinds/kind.ts';
import { groupResource, qualifiedName } from '../../../shared/kubernetes.ts';
import { readyOf } from '../../../shared/plan/observed/conditions.ts';
import {
  type ObservedResource,
  observeResource,
} from '../../../shared/plan/observed/observed-resource.ts';
import { printable } from '../../../shared/printable.ts';
import { counted, shortened } from '../../actions/wording.ts';
import { eachResource } from '../base/field-loss.ts';
import { ageText } from '../output/age.ts';
import { type DoctorCheck, type Installation, ok, warn } from './doctor-check.ts';

type Reached = Pick<Installation, 'probe' | 'identity' | 'namespaces'>;

/** Finds resources that wait for their clean-up. `unread` is the reason if they could not be listed. */
export async function heldResources({ probe, identity, namespaces }: Reached, kind: Kind) {
  const held: ObservedResource[] = [];
  const unread = await eachResource(probe, { type: kind, namespaces }, (live) => {
    const resource = observeResource(kind, live, { identity });
    if (resource.deleting && resource.finalizers !== undefined) held.push(resource);
  });
  return { held, unread };
}

/** For a kind that the project lacks, reports only problems. */
export async function deletionCheck(
  installation: Installation,
  kind: Kind,
): Promise<readonly DoctorCheck[]> {
  const { kinds, remedies, now } = installation;
  const isKnown = kinds.includes(kind);
  const other = isKnown ? '' : ', a kind that is not reconciled here';
  const name = `deletion of ${kind.kind}${other}`;
  const { held, unread } = await heldResources(installation, kind);
  if (unread !== undefined) return [warn(name, `resources could not be listed: ${unread}`)];
  if (held.length === 0) return isKnown ? [ok(name, 'no resource waits for its clean-up')] : [];
  const waiting = held.map((one) =>
    printable(`${qualifiedName(one.namespace, one.name)} (${waitOf(one, now())})`),
  );
  return [
    warn(
      name,
      `${counted(held.length, 'resource')} waiting for clean-up: ${shortened(waiting, 5).join('; ')}`,
      `${remedies.release(isKnown ? kind.kind : groupResource(kind))}   # only if no function is deployed: removes the finalizers without the clean-up`,
    ),
  ];
}

/** Describes why a resource still exists: `deleted 3m ago, Finalizing: Job a: not complete yet` */
export function waitOf(resource: ObservedResource, now: Date): string {
  const ready = readyOf(resource);
  const isSeen = ready?.observedGeneration === resource.generation;
  const why = isSeen ? `${ready?.reason}: ${ready?.message}` : 'no run has seen the deletion';
  return `deleted ${ageText(resource.deletedAt, now)} ago, ${why}`;
}
