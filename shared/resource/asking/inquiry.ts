import { isInvalid, KubeError } from '../../cluster/cluster-errors.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import { type JsonObject, type KubeObject, type ObjectVersion, titleOf } from '../../kubernetes.ts';
import { trialName } from '../../plan/decision/steps.ts';
import { manifestOf } from '../../plan/observed/apply-manifest.ts';
import { withoutFormerApplies } from '../../plan/observed/former.ts';
import { type ObservedChild, observeChild, openEntry } from '../../plan/observed/observed.ts';
import { shortJson } from '../../plan/observed/short-text.ts';
import { type Asked, namespaceOf } from '../../plan/observed/world.ts';
import type { Question } from '../../plan/plan.ts';
import { getVersion } from '../../reading/read.ts';
import type { Run } from '../../run/run.ts';
import type { LiveWorld } from '../../run/state.ts';
import { StaleError } from '../stale.ts';

/** Everything that the API server is asked about one child. Its requests write nothing. */
export interface Inquiry {
  readonly run: Run;
  readonly world: LiveWorld;
  readonly question: Question;
  /** The fields to apply, with the salt of a Secret. */
  readonly sent: JsonObject;
}

export type DryRunAnswer = Pick<Asked, 'after' | 'untangles' | 'refusal'>;

/** Dry-runs the apply. */
export const applyDry = (inquiry: Inquiry): Promise<KubeObject> =>
  dryRun(inquiry, inquiry.sent, { lock: inquiry.question.version });

/** Dry-runs the creation of an object with these fields, under another name. */
export const createDry = (inquiry: Inquiry, fields: JsonObject): Promise<KubeObject> =>
  dryRun(inquiry, fields, { lock: 'absent', name: trialName(inquiry.question.ref.name) });

const dryRun = (
  { run: { cluster, clients }, world, question: { ref } }: Inquiry,
  fields: JsonObject,
  { lock, name = ref.name }: { readonly lock: ObjectVersion | 'absent'; readonly name?: string },
): Promise<KubeObject> => {
  const { type, ...child } = ref;
  const namespace = namespaceOf(world.resource, ref);
  const manifest = manifestOf({ child: { ...child, name }, namespace }, fields, lock);
  return cluster.apply(type, manifest, { manager: clients.identity.name, dryRun: true });
};

/** Dry-runs a patch; returns the patched object, or the server's refusal. */
export const patchDry = (
  { run: { cluster, clients }, world, question: { ref, version } }: Inquiry,
  operations: readonly JsonObject[],
): Promise<KubeObject | KubeError> => {
  const namespace = namespaceOf(world.resource, ref);
  const { resourceVersion } = version;
  const manager = clients.identity.name;
  const patch = { manager, resourceVersion, operations, dryRun: true } as const;
  return cluster.patch(ref.type, { namespace, name: ref.name }, patch).catch((error: unknown) => {
    if (isRefusal(error)) return error;
    throw error;
  });
};

/** Reports whether the server refuses the object: as invalid, or with 500 for two equal node ports. */
export const isRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && (isInvalid(error) || error.code === 500);

/** The fields that a refusal names. */
export const fieldsOf = ({ causes }: KubeError): readonly string[] =>
  causes.flatMap(({ field }) => field ?? []);

/** Reads the child, which must still have the version that the question is about. */
export async function readAsked({ run, world, question }: Inquiry): Promise<KubeObject> {
  const { ref, version } = question;
  const { type, name } = ref;
  const target = { type, namespace: namespaceOf(world.resource, ref), name };
  const live = await getVersion(run.cluster, target, version);
  if (live === undefined) throw new StaleError(`compare ${titleOf(ref)}`, { changed: ref });
  return live;
}

/** Reduces an answer to what planning needs. */
export const observedFor = (
  { identity, resource }: LiveWorld,
  type: ChildType,
  live: KubeObject,
): ObservedChild =>
  observeChild(type, withoutFormerApplies(live, identity), { identity, from: resource.namespace });

/** Returns the patched child as our apply will leave it: the apply changes only the owners of these fields. */
export function appliedAfter({ world, question }: Inquiry, answer: KubeObject): ObservedChild {
  const patched = observedFor(world, question.ref.type, answer);
  const entries = [...(patched.ours ? [patched.ours] : []), ...patched.others].map(openEntry);
  const listKeys = Object.assign({}, ...entries.map((one) => one.listKeys));
  const shape = JSON.stringify({ listKeys, leafMaps: [] });
  const values = shortJson(question.fields);
  return { ...patched, ours: { manager: '', time: undefined, values, shape } };
}
