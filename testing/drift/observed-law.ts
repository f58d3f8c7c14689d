import { valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { driftCondition } from '../../shared/kinds/condition-types.ts';
import { label, observeAnnotation } from '../../shared/kinds/names.ts';
import { breach, laws } from '../law.ts';
import { namespaceOfChild, plannedChanges, type RehearsedResource, rehearse } from '../rehearse.ts';

/**
 * Changes a label of a child while the resource is only observed. Requires that a run writes only the status,
 * which names the child. Also requires that the label is restored once the resource is managed again.
 */
export async function requireObserved(
  subject: RehearsedResource,
  desired: readonly Child[],
): Promise<void> {
  const { env, kind, name, namespace, what } = subject;
  const child = await firstLive(subject, desired);
  if (child === undefined) return;
  const place = namespaceOfChild(subject, child);
  const labels = { [label.partOf]: 'observed' };
  const annotate = (value: string | null) =>
    env.patch(kind, name, {
      body: { metadata: { annotations: { [observeAnnotation]: value } } },
      namespace,
    });
  await annotate('true');
  await env.patch(child.type, child.name, { body: { metadata: { labels } }, ...place });
  const { preview, writes, deviation } = await rehearse(subject);
  if (writes.some(({ subresource, resource }) => `${resource}/${subresource}` !== statusOf(kind)))
    throw breach(laws.observed, what, plannedChanges(preview));
  const resource = await env.get(kind, name, { namespace });
  const drifted = resource?.status?.conditions?.find(({ type }) => type === driftCondition);
  const title = titleOfChild(child);
  if (drifted?.status !== 'True' || !drifted.message?.includes(title))
    throw breach(laws.observed, what, [
      `${title} was changed, but no condition Drifted=True names it`,
    ]);
  await annotate(null);
  await rehearse(subject);
  const live = await env.get(child.type, child.name, place);
  if (valueAt(live, 'metadata', 'labels', label.partOf) === labels[label.partOf])
    throw breach(laws.repaired, what, [
      `${title}: a label was changed while the resource was only observed, and was not restored afterwards`,
    ]);
  if (deviation !== undefined) throw deviation;
}

const statusOf = ({ plural }: RehearsedResource['kind']): string => `${plural}/status`;

async function firstLive(
  subject: RehearsedResource,
  desired: readonly Child[],
): Promise<Child | undefined> {
  for (const child of desired) {
    const live = await subject.env.get(child.type, child.name, namespaceOfChild(subject, child));
    if (live !== undefined && child.type.complete?.(live) !== true) return child;
  }
  return undefined;
}
