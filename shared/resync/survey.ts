import pMap from 'p-map';
import type { Cluster } from '../cluster/cluster.ts';
import { isFinal, isNotFound } from '../cluster/cluster-errors.ts';
import { present } from '../json.ts';
import { childTypesOf, type Kind } from '../kinds/kind.ts';
import { groupResource, type ResourceType } from '../kubernetes.ts';
import { listChildren } from '../reading/read.ts';
import { newFleet } from '../rollout/fleet.ts';
import { type Area, splitArea } from '../run/area.ts';
import { listErrorOf, unlistedOf } from '../run/explain.ts';
import { countWorlds } from '../run/memory-budget.ts';
import { type Run, timeLeft, withMemory, withTimeout } from '../run/run.ts';
import { type Comparisons, surveyKind } from './survey-kind.ts';
import { combined, emptySurvey, type Incomplete, type Survey } from './survey-result.ts';

const areasAtOnce = 4;

/**
 * Lists the children, then the resources, then the objects to which they refer, and plans each resource.
 *
 * Guarantees: no child is newer than the spec and the references that it is compared with. A failed list affects only
 * its type and namespace. If listing the children hangs, a third of the time remains. Only resources with work, and
 * their children, stay in memory. Once a namespace has used up its share of the memory, its large children count as
 * unreadable, and its large resources are not reconciled.
 */
export async function survey(run: Run, areas: readonly Area[]): Promise<Survey> {
  const forLists = Math.max(timeLeft(run) / 2, leastForLists);
  const limited = withTimeout(run, forLists);
  const ofChildren = run.cluster.withTimeout((forLists * 2) / 3);
  const comparisons: Comparisons = new Map();
  const surveyPart = async (part: Area): Promise<Survey> => {
    using memory = run.limits.memory.part();
    const found = await surveyArea(withMemory(limited, memory), part, ofChildren, comparisons);
    countWorlds(run.limits.memory, found.work);
    return found;
  };
  const surveyOf = async (area: Area): Promise<Survey> =>
    joined(area, await Promise.all(splitArea(area).map(surveyPart)));
  return combined(await pMap(areas, surveyOf, { concurrency: areasAtOnce }));
}

/** Joins the surveys of an area's namespaces. Omits a kind's fleet unless each of the surveys has one. */
function joined({ kinds, namespaces = [] }: Area, parts: readonly Survey[]): Survey {
  const placed = parts.map((part, at): Survey => {
    const where = present({ namespace: parts.length > 1 ? namespaces[at] : undefined });
    return { ...part, incomplete: part.incomplete.map((one) => ({ ...one, ...where })) };
  });
  const all = combined(placed);
  const fleets = kinds.flatMap((kind) => {
    const own = all.fleets.filter((fleet) => fleet.kind === kind);
    return own.length === parts.length ? [newFleet(kind, own)] : [];
  });
  return { ...all, fleets };
}

/** The minimum time for lists. It applies even after the deadline, so that a run can report what it has not done. */
const leastForLists = 2000;

async function surveyArea(run: Run, area: Area, ofChildren: Cluster, comparisons: Comparisons) {
  const { childrenOf, failed } = await listChildren({ ...run, cluster: ofChildren }, area);
  // Reads the clock after the lists: meanwhile another run may have written children for a later time (`isPast`).
  const now = run.clients.now();
  const failedKinds = new Set<Kind>();
  const surveyOf = async (kind: Kind): Promise<Survey> => {
    const unlisted = await unlistedOf(run, kind, failed);
    const listing = { kind, childrenOf, unlisted, comparisons, now };
    return surveyKind(run, area, listing).catch((error: unknown) => {
      failedKinds.add(kind);
      return { ...emptySurvey(), incomplete: [incompleteOf(kind, [kind], error)] };
    });
  };
  const found = combined(await Promise.all(area.kinds.map(surveyOf)));
  const listed = area.kinds.filter((kind) => !failedKinds.has(kind));
  for (const type of childTypesOf(listed)) {
    const error = failed.get(groupResource(type));
    if (error === undefined) continue;
    const failures = isNotFound(error) ? found.notServed : found.incomplete;
    failures.push({ ...incompleteOf(type, listed, error), ofChildren: true });
  }
  return found;
}

const incompleteOf = (type: ResourceType, kinds: readonly Kind[], error: unknown): Incomplete => ({
  kind: groupResource(type),
  error: listErrorOf(type, kinds, error),
  ...(isFinal(error) ? {} : { transient: true }),
});
