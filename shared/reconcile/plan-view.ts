import pMap from 'p-map';
import { typeOf } from '../kinds/child-types.ts';
import type { ObjectRef } from '../kubernetes.ts';
import type { ObservedResource } from '../plan/observed.ts';
import { type Plan, plan } from '../plan/plan.ts';
import { keyOf, type Unseen } from '../plan/world.ts';
import { contestedBy } from './contested.ts';
import type { Performance } from './perform.ts';
import { explain, type Failure } from './refusal.ts';
import type { Run } from './run.ts';
import { lookAtChild, type View } from './view.ts';

/**
 * How many names that only the status lists are read for one resource in one run. The rest stays in the
 * status and has its turn at the next: what a run takes is not for whoever writes a status to say.
 */
const maxReads = 16;
const readsAtOnce = 4;

/** Plans, and reads by name what the plan has to know first; what cannot be read hinders no more than it must. */
export async function planView(run: Run, { view, outcomes }: Performance): Promise<Plan> {
  let { resource } = view;
  let planned = plan(view.kind, resource, view);
  if (planned.state === 'unseen') {
    const { listed, names } = planned;
    const read = async (ref: Unseen): Promise<readonly ObjectRef[]> => {
      const failure = await look(run, view, ref);
      if (failure === undefined) return [];
      const { type: _, ...child } = ref;
      outcomes.set(keyOf(child), { child, result: 'failed', ...failure });
      return [child];
    };
    const unread = await pMap(listed.slice(0, maxReads), read, { concurrency: readsAtOnce });
    for (const ref of names) {
      const failure = await look(run, view, ref);
      if (failure !== undefined) view.unread.set(keyOf(ref), failure);
    }
    resource = withoutChildren(resource, [...unread.flat(), ...listed.slice(maxReads)]);
    planned = plan(view.kind, resource, view);
  }
  const contested = await contestedBy(run, view, planned);
  return contested === undefined ? planned : plan(view.kind, resource, view, contested);
}

async function look(run: Run, view: View, ref: Unseen): Promise<Failure | undefined> {
  if (run.now().getTime() >= run.deadline)
    return { reason: 'NotFinished', message: `the run's time is over`, transient: true };
  try {
    await lookAtChild(run, view, ref);
    return undefined;
  } catch (error) {
    return explain(run, typeOf(ref), error);
  }
}

function withoutChildren(resource: ObservedResource, refs: readonly ObjectRef[]): ObservedResource {
  const gone = new Set(refs.map(keyOf));
  const children = resource.status.children?.filter((ref) => !gone.has(keyOf(ref))) ?? [];
  return { ...resource, status: { ...resource.status, children } };
}
