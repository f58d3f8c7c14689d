import { canonicalJson } from '../canonical.ts';
import * as exposure from '../kinds/child-types/ingress.ts';
import { type KubeObject, keyOf } from '../kubernetes.ts';
import type { WriteDecision } from '../plan/decision/decision.ts';
import { type CheckRequest, trialName } from '../plan/decision/requests.ts';
import { isExposing, patternsOf } from '../plan/exposure/exposing-child.ts';
import { manifestOf } from '../plan/observed/apply-manifest.ts';
import { type Outline, outlineOf } from '../plan/observed/observed.ts';
import { childLabels, isOwn, namespaceOf, refTo } from '../plan/observed/world.ts';
import { isSameSpecification, readResource } from '../reading/read.ts';
import { maxAgeMs } from '../run/run.ts';
import { nameOfWrite, StaleError, type Turn } from './turn.ts';

/**
 * Checks a precondition just before a write. If it fails, throws a StaleError or (`creatable`) the server's refusal.
 *
 * Caveats: a change after this check is detected by the commit at the end of the resource's run, or by the next run.
 */
export async function checkPrecondition(
  turn: Turn,
  decision: WriteDecision,
  request: CheckRequest,
): Promise<void> {
  const { world, writing: run } = turn;
  const what = nameOfWrite(decision);
  switch (request.what) {
    case 'absence': {
      const { ref } = request;
      const namespace = namespaceOf(world.resource, ref);
      const live = await run.cluster.getMetadata(ref.type, { ...ref, namespace });
      if (live !== undefined && !world.children.has(keyOf(ref)))
        throw new StaleError(what, { target: ref });
      return;
    }
    case 'creatable': {
      const { child, type } = decision;
      const trial = { ...child, name: trialName(child.name) };
      const manifest = manifestOf({ ...decision, child: trial }, request.fields, 'absent');
      await run.cluster.apply(type, manifest, { manager: world.identity.name, dryRun: true });
      return;
    }
    case 'resource': {
      const now = run.clients.now().getTime();
      if (request.ifOld && now <= turn.freshUntil) return;
      const fresh = await readResource(run, world);
      if (fresh === undefined || !isSameSpecification(fresh, world.resource))
        throw new StaleError(what);
      turn.freshUntil = now + maxAgeMs;
      return;
    }
    case 'exposed': {
      const changed = await changedSibling(turn, decision);
      if (changed !== undefined) throw new StaleError(what, changed);
    }
  }
}

/** Finds a changed sibling that exposes paths, unless the plan has considered its paths (`possiblePaths`). */
async function changedSibling(
  { world, writing: { cluster } }: Turn,
  { type }: WriteDecision,
): Promise<Pick<StaleError, 'target' | 'paths'> | undefined> {
  const { resource, children, possiblePaths } = world;
  const { namespace } = resource;
  const live = new Map<string, Outline>();
  const keep = (object: KubeObject): void => {
    const child = outlineOf(type, object);
    if (isOwn(resource, child)) live.set(child.name, child);
  };
  await cluster.list(type, { namespace, labels: childLabels(world) }, keep);
  const siblings = children
    .values()
    .filter((one) => one.kind === type.kind && isOwn(resource, one));
  const known = new Map(siblings.map((child) => [child.name, child]));
  // Reads by name each sibling that the list lacks, because it may have lost its labels.
  for (const unlisted of known.keys())
    if (!live.has(unlisted)) await cluster.list(type, { namespace, name: unlisted }, keep);
  for (const one of new Set([...known.keys(), ...live.keys()])) {
    const [before, after] = [known.get(one), live.get(one)];
    if (before && after && isAsSeen(type, before, after)) continue;
    const child = refTo(type, one);
    const paths = after === undefined ? [] : patternsOf(after);
    if (possiblePaths.get(keyOf(child))?.isSupersetOf(new Set(paths))) continue;
    const planned = before === undefined ? [] : patternsOf(before);
    return { target: { ...child, type }, paths: [...paths, ...planned] };
  }
  return undefined;
}

/** Ignores the sibling's paths if the plan did not know them: it then assumed that the sibling serves all requests. */
const isAsSeen = (type: WriteDecision['type'], before: Outline, after: Outline): boolean =>
  isExposing(type) && exposure.patternsOf(before.facts) === undefined
    ? before.uid === after.uid && before.deleting === after.deleting
    : exposedBy(before) === exposedBy(after);

/** Omits addresses, because writes to the status change them. */
const exposedBy = ({ uid, deleting, facts: { addresses: _, ...facts } }: Outline): string =>
  canonicalJson({ uid, deleting, facts });
