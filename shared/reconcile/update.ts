import { isInvalid, isNotFound } from '../cluster/errors.ts';
import { fieldManager, handOverManager } from '../kinds/names.ts';
import type { JsonObject, KubeObject } from '../kubernetes.ts';
import type { Decision } from '../plan/decision.ts';
import { consolidated } from '../plan/legacy.ts';
import { manifestOf } from '../plan/manifest.ts';
import { takeOutPartners } from '../plan/partners.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';

type Update = Extract<Decision, { verb: 'update' }>;
type Consolidate = Extract<Decision, { verb: 'consolidate' }>;

/**
 * One locked apply; with partners to take out or fields to hand over, a locked write before it, each
 * locked to the version the last one returned. `wrote` hears of every write, should a later one fail.
 */
export async function update(
  run: Run,
  decision: Update,
  wrote: (live: KubeObject) => void,
): Promise<KubeObject> {
  const { type, fields, handOver, partners } = decision;
  let { resourceVersion } = decision;
  const apply = async (what: JsonObject, manager: string): Promise<KubeObject> => {
    const lock = { uid: decision.uid, resourceVersion };
    const live = await run.cluster.apply(type, manifestOf(decision, what, lock), { manager });
    wrote(live);
    return live;
  };
  if (partners) {
    const live = await removePartners(run, decision);
    if (live.metadata.resourceVersion !== resourceVersion) wrote(live);
    resourceVersion = live.metadata.resourceVersion;
  }
  if (handOver !== undefined) {
    resourceVersion = (await apply(handOver, handOverManager)).metadata.resourceVersion;
  }
  return apply(fields, fieldManager);
}

/** Takes what cannot stand beside ours out of the live object, as it was when it was decided on. */
export async function removePartners(run: Run, decision: Update): Promise<KubeObject> {
  const live = await read(run, decision);
  const operations = takeOutPartners(decision.fields, live);
  return operations.length === 0 ? live : patch(run, decision, { live, operations });
}

/** Old managedFields entries give up what our own names; `live` is the object as it was last seen, if it was. */
export async function consolidate(
  run: Run,
  decision: Update | Consolidate,
  seen?: KubeObject,
): Promise<KubeObject> {
  const live = seen ?? (await read(run, decision));
  return patch(run, decision, { live, operations: consolidation(live) });
}

const consolidation = (live: KubeObject): readonly JsonObject[] => [
  {
    op: 'replace',
    path: '/metadata/managedFields',
    value: consolidated(live) as unknown as JsonObject[],
  },
];

async function read(run: Run, decision: Update | Consolidate): Promise<KubeObject> {
  const live = await run.cluster.get(decision.type, keyIn(decision));
  if (
    live?.metadata.uid === decision.uid &&
    live.metadata.resourceVersion === decision.resourceVersion
  )
    return live;
  throw new StaleError(`${decision.verb} ${decision.child.kind} ${decision.child.name}`, decision);
}

const keyIn = ({ namespace, child }: Decision) => ({ namespace, name: child.name });

interface Patch {
  readonly live: KubeObject;
  readonly operations: readonly JsonObject[];
}

/** What a version that moved (422) or an object that is gone (404) means here: read and decide again. */
async function patch(
  run: Run,
  decision: Decision,
  { live, operations }: Patch,
): Promise<KubeObject> {
  const { resourceVersion } = live.metadata;
  try {
    return await run.cluster.patch(decision.type, keyIn(decision), {
      resourceVersion,
      operations,
      manager: fieldManager,
    });
  } catch (error) {
    if (!isInvalid(error) && !isNotFound(error)) throw error;
    const now = await run.cluster.get(decision.type, keyIn(decision));
    if (now?.metadata.resourceVersion === resourceVersion) throw error;
    throw new StaleError(`patch ${decision.child.kind} ${decision.child.name}`, decision);
  }
}
