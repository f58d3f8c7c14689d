import { titleOf } from '../shared/kubernetes.ts';
import { controllerOf } from '../shared/plan/observed/observed.ts';
import { breach, laws } from './law.ts';
import { type RehearsedResource, rehearse, settleResource } from './rehearse.ts';

export async function requireCollected(subject: RehearsedResource): Promise<void> {
  const { env, kind, name, namespace, what } = subject;
  const uid = (await env.get(kind, name, { namespace }))?.metadata.uid;
  await env.delete(kind, name, { namespace });
  await settleResource(subject);
  if (kind.finalize !== undefined) await finalize(subject);
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

async function finalize(subject: RehearsedResource): Promise<void> {
  const { env, kind, name, namespace } = subject;
  const live = () => env.get(kind, name, { namespace });
  for (let isQuiet = false; !isQuiet && (await live()) !== undefined; ) {
    const { writes, deviation } = await rehearse(subject);
    if (deviation !== undefined) throw deviation;
    isQuiet = writes.length === 0;
    await settleResource(subject);
  }
}
