import { keyOfChild } from '../../infra/check/check-children.ts';
import { isFields, valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { groupResource, isSameType } from '../../shared/kubernetes.ts';
import { breach, laws } from '../law.ts';
import { type RehearsedResource, settleResource } from '../rehearse.ts';
import type { SentRequest } from '../test-environment.ts';
import { annotate } from './disturb.ts';
import { fieldsIn } from './pod-template.ts';
import type { Admitted, Disturbance } from './sequence.ts';
import {
  desiredIn,
  heldBack,
  mostRuns,
  requireSame,
  runUntilSettled,
  type Settled,
} from './settle.ts';
import { type ClusterState, differencesOf, stateOf, withoutMirror } from './state.ts';

type Admission = Extract<Disturbance, { admits: Admitted } | { denied: number }>;

export const isAdmission = (disturbance: Disturbance): disturbance is Admission =>
  'admits' in disturbance || 'denied' in disturbance;

/** The returned function removes the webhook. */
function admit({ env, kind }: RehearsedResource, how: Admission): () => void {
  const types = 'denied' in how ? kind.owns.slice(how.denied, how.denied + 1) : kind.owns;
  let reviews = 0;
  return env.cluster.admit(({ group, resource, object }) => {
    if (!types.some((type) => type.group === group && type.plural === resource)) return undefined;
    if ('denied' in how) return 'not now';
    change(object, how.admits === 'fickle' ? ++reviews : 0);
    return undefined;
  });
}

type Reviewed = Parameters<
  Parameters<RehearsedResource['env']['cluster']['admit']>[0]
>[0]['object'];

const workloads = ['Deployment', 'StatefulSet', 'DaemonSet'];
const injected = { 'example.org/admitted': 'yes' };

/** Changes an object in place, but not the pod template of a Job, which is immutable. */
function change({ kind, metadata, spec }: Reviewed, mirror: number): void {
  const template = workloads.includes(kind) ? valueAt(spec, 'template') : undefined;
  for (const one of [metadata, valueAt(template, 'metadata')].filter(isFields))
    Object.assign(one, {
      labels: { ...(one.labels as object), ...injected },
      annotations: { ...(one.annotations as object), ...injected },
    });
  const pods = valueAt(template, 'spec');
  if (!isFields(pods)) return;
  const containers = fieldsIn(pods.containers).filter(({ name }) => name !== sidecar.name);
  for (const one of containers)
    Object.assign(one, {
      image: `mirror-${mirror}.example.org/${withoutMirror(one.image as string)}`,
    });
  Object.assign(pods, { containers: [...containers, { ...sidecar }] });
}

const sidecar = { name: 'admitted', image: 'sidecar:1' };

/**
 * Makes runs until nothing changes, first with an admission webhook and then without, and returns the last state.
 * Requires that the webhook's changes make no difference, and that its refusals delay only the refused children and
 * their dependents.
 */
export async function admitted(
  subject: RehearsedResource,
  how: Admission,
  former: Settled | undefined,
): Promise<Settled> {
  const remove = admit(subject, how);
  if ('admits' in how) {
    await runUntilSettled(subject, former);
    await requireOneWrite(subject);
    const during = await runUntilSettled(subject, former);
    remove();
    const after = await runUntilSettled(subject, former);
    requireSame(laws.admitted, subject, [during, after]);
    return after;
  }
  await runUntilStuck(subject);
  const during = await stateOf(subject, await desiredIn(subject));
  remove();
  const after = await runUntilSettled(subject, former);
  const free = independentOf(await desiredIn(subject), subject.kind.owns[how.denied]);
  const differences = after.isExcepted
    ? []
    : differencesOf(only(free, during), only(free, after.state));
  if (differences.length > 0) throw breach(laws.admitted, subject.what, differences);
  return after;
}

/** Requires that a run writes each child at most once after another writer has changed the child. */
async function requireOneWrite(subject: RehearsedResource): Promise<void> {
  const { env, kind, what } = subject;
  await annotate(subject);
  env.requests();
  await env.resync({ kind: groupResource(kind) });
  const written = writesOfChildren(subject).map(({ path }) => path.split('?')[0] ?? '');
  const twice = written.filter((path, at) => written.indexOf(path) < at);
  if (twice.length > 0)
    throw breach(
      laws.admitted,
      what,
      twice.map((path) => `${path} is written twice in one run`),
    );
}

const writesOfChildren = ({ env, kind }: RehearsedResource): readonly SentRequest[] =>
  env
    .requests()
    .filter(
      ({ isWrite, status, subresource, resource }) =>
        isWrite &&
        status < 400 &&
        subresource === '' &&
        kind.owns.some((type) => type.plural === resource),
    );

async function runUntilStuck(subject: RehearsedResource): Promise<void> {
  const { env, kind } = subject;
  for (let runs = 0; runs < mostRuns; runs++) {
    await settleResource(subject);
    env.requests();
    await env.resync({ kind: groupResource(kind) });
    if (writesOfChildren(subject).length === 0) return;
  }
}

/** Returns the children that are not delayed while this type is refused. Children with templates count as delayed. */
function independentOf(desired: readonly Child[], type: ChildType | undefined): readonly string[] {
  const isHeld = (child: Child): boolean =>
    child.templates !== undefined || (type !== undefined && isSameType(child.type, type));
  const held = heldBack(desired, isHeld);
  return desired.filter((one) => !held.has(keyOfChild(one))).map(titleOfChild);
}

const only = (titles: readonly string[], state: ClusterState): ClusterState =>
  new Map([...state].filter(([title]) => titles.includes(title)));
