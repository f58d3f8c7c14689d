import { randomBytes } from 'node:crypto';
import { fieldManager, generatedManager, handOverManager } from '../kinds/names.ts';
import type { JsonObject, KubeObject } from '../kubernetes.ts';
import type { Decision } from '../plan/decision.ts';
import { consolidated } from '../plan/legacy.ts';
import { generatedFields, type Lock, manifestOf } from '../plan/manifest.ts';
import { takeOutPartners } from '../plan/partners.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';

type Create = Extract<Decision, { verb: 'create' }>;
type Update = Extract<Decision, { verb: 'update' }>;
type Consolidate = Extract<Decision, { verb: 'consolidate' }>;

/** Called after every write, in case a later one of the same decision fails. */
type Wrote = (live: KubeObject) => void;

/** One apply that fails where an object of that name exists; with generated data, a second one after it. */
export async function create(run: Run, decision: Create, wrote: Wrote): Promise<KubeObject> {
  const made = await generate(run, decision, 'absent');
  if (made !== undefined) wrote(made);
  const manifest = manifestOf(
    decision,
    decision.fields,
    made === undefined ? 'absent' : lockOf(made),
  );
  return run.cluster.apply(decision.type, manifest, { manager: fieldManager });
}

/**
 * Flow: the data goes first, with the labels and the owner, under a manager of its own.
 * Guarantees: no later apply of ours holds the values, so none drops or changes them; a run that dies
 * in between leaves a Secret that is ours and has its data.
 */
async function generate(
  { cluster }: Run,
  decision: Create | Update,
  lock: Lock,
): Promise<KubeObject | undefined> {
  const { type, fields, generates } = decision;
  if (generates === undefined) return undefined;
  const random = () => Buffer.from(randomBytes(24).toString('base64url')).toString('base64');
  const data = Object.fromEntries(generates.map((key) => [key, random()]));
  const manifest = manifestOf(decision, generatedFields(fields, data), lock);
  return cluster.apply(type, manifest, { manager: generatedManager });
}

const lockOf = ({ metadata: { uid, resourceVersion } }: KubeObject): Lock => ({
  uid,
  resourceVersion,
});

/**
 * One locked apply; with partners to remove or fields to hand over, a locked write before it, each
 * locked to the version the last one returned.
 */
export async function update(run: Run, decision: Update, wrote: Wrote): Promise<KubeObject> {
  const { type, fields, handOver, partners, uid } = decision;
  let { resourceVersion } = decision;
  const apply = async (what: JsonObject, manager: string): Promise<KubeObject> => {
    const live = await run.cluster.apply(
      type,
      manifestOf(decision, what, { uid, resourceVersion }),
      {
        manager,
      },
    );
    wrote(live);
    return live;
  };
  if (partners) {
    const live = await removePartners(run, decision);
    if (live.metadata.resourceVersion !== resourceVersion) wrote(live);
    resourceVersion = live.metadata.resourceVersion;
  }
  const made = await generate(run, decision, { uid, resourceVersion });
  if (made !== undefined) {
    wrote(made);
    resourceVersion = made.metadata.resourceVersion;
  }
  if (handOver !== undefined) {
    resourceVersion = (await apply(handOver, handOverManager)).metadata.resourceVersion;
  }
  return apply(fields, fieldManager);
}

/** Removes from the live object, as it was decided on, what the server refuses beside our fields. */
export async function removePartners(run: Run, decision: Update): Promise<KubeObject> {
  const live = await read(run, decision);
  const operations = takeOutPartners(decision.fields, live);
  return operations.length === 0 ? live : patch(run, decision, { ...live.metadata, operations });
}

/** Removes from old managedFields entries what our own names; `live` is the object as last read, if it was. */
export async function consolidate(
  run: Run,
  decision: Update | Consolidate,
  seen?: KubeObject,
): Promise<KubeObject> {
  const live = seen ?? (await read(run, decision));
  return patch(run, decision, { ...live.metadata, operations: consolidation(live) });
}

const consolidation = (live: KubeObject): readonly JsonObject[] => [
  {
    op: 'replace',
    path: '/metadata/managedFields',
    value: consolidated(live) as unknown as JsonObject[],
  },
];

/** Removes paths from an unwanted Ingress: an apply would need to know all that was ever applied. */
export const withdraw = (
  run: Run,
  decision: Extract<Decision, { verb: 'withdraw' }>,
): Promise<KubeObject> =>
  patch(run, decision, {
    resourceVersion: decision.resourceVersion,
    operations: [{ op: 'replace', path: '/spec/rules', value: decision.rules }],
  });

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
  readonly resourceVersion: string;
  readonly operations: readonly JsonObject[];
}

const patch = (
  run: Run,
  decision: Decision,
  { resourceVersion, operations }: Patch,
): Promise<KubeObject> =>
  run.cluster.patch(decision.type, keyIn(decision), {
    resourceVersion,
    operations,
    manager: fieldManager,
  });
