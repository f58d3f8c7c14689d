import { titleOf } from '../shared/kubernetes.ts';
import { controllerOf } from '../shared/plan/observed/observed.ts';
import { breach, laws } from './law.ts';
import {
  ownedKinds,
  type RehearsedResource,
  rehearse,
  resyncKinds,
  settleResource,
} from './rehearse.ts';

export async function requireCollected(subject: RehearsedResource): Promise<void> {
  const { env, kind, name, namespace, what } = subject;
  const uid = (await env.get(kind, name, { namespace }))?.metadata.uid;
  await env.delete(kind, name, { namespace });
  await settleResource(subject);
  await finalize(subject);
  const lists = await Promise.all(kind.owns.map((type) => env.list(type, { namespace })));
  const left = lists.flat().filter((live) => controllerOf(live)?.uid === uid);
  const resource = await env.get(kind, name, { namespace });
  const ready = resource?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (left.length > 0 || resource !== undefined)
    throw breach(laws.collected, what, [
      ...(resource === undefined
        ? []
        : [
            `${what} still exists, with finalizers ${JSON.stringify(resource.metadata.finalizers)}: ${ready?.message}`,
          ]),
      ...left.map(
        ({ kind: type, metadata }) => `${titleOf({ ...metadata, kind: type })} still exists`,
      ),
    ]);
}

/** Repeats runs until the clean-ups of the resource and of its children end, or until nothing changes. */
async function finalize(subject: RehearsedResource): Promise<void> {
  const { env, kind, name, namespace } = subject;
  const owned = ownedKinds(subject);
  const live = () => env.get(kind, name, { namespace });
  for (let isQuiet = false; !isQuiet && (owned.length > 0 || (await live()) !== undefined); ) {
    const { writes, deviation } = await rehearse(subject);
    if (deviation !== undefined) throw deviation;
    await settleResource(subject);
    await resyncKinds(subject, owned);
    const others = env.requests().filter(({ isWrite, status }) => isWrite && status < 400);
    isQuiet = writes.length + others.length === 0;
    await settleResource(subject);
  }
}
