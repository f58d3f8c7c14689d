import type { ObjectRef } from '../kubernetes.ts';
import type { ObservedResource } from '../plan/observed.ts';
import { keyOf, type Plan, plan } from '../plan/plan.ts';
import { contestedBy } from './contested.ts';
import type { Performance } from './perform.ts';
import { explain } from './refusal.ts';
import type { Run } from './run.ts';
import { lookAtChild } from './view.ts';

/** Plans, and reads by name what the plan has to know first; what cannot be read hinders nothing but deletions. */
export async function planView(run: Run, { view, outcomes }: Performance): Promise<Plan> {
  let { resource } = view;
  let planned = plan(view.kind, resource, view);
  if (planned.state === 'unseen') {
    const unread: ObjectRef[] = [];
    for (const { type, ...child } of planned.refs) {
      try {
        await lookAtChild(run, view, { ...child, type });
      } catch (error) {
        outcomes.set(keyOf(child), {
          child,
          result: 'failed',
          ...(await explain(run, type, error)),
        });
        unread.push(child);
      }
    }
    resource = withoutChildren(resource, unread);
    planned = plan(view.kind, resource, view);
  }
  const contested = await contestedBy(run, view, planned);
  return contested === undefined ? planned : plan(view.kind, resource, view, contested);
}

function withoutChildren(resource: ObservedResource, refs: readonly ObjectRef[]): ObservedResource {
  const gone = new Set(refs.map(keyOf));
  const children = resource.status.children?.filter((ref) => !gone.has(keyOf(ref))) ?? [];
  return { ...resource, status: { ...resource.status, children } };
}
