import { messageOf } from '../shared/cluster/cluster-errors.ts';
import { secret } from '../shared/kinds/child-types/core.ts';
import type { Reference, Resource } from '../shared/kinds/reads.ts';
import { isSameType } from '../shared/kubernetes.ts';
import { readObjectOf } from '../shared/plan/observed/read-object.ts';
import { type Found, keyOfReference } from '../shared/plan/observed/world.ts';
import type { SkippedChange } from './drift-law.ts';
import { breach, laws } from './law.ts';
import { plannedChanges, type RehearsedResource, rehearse } from './rehearse.ts';
import { RefusedError } from './user.ts';

/** Reads the objects that a resource refers to, in the form that a run passes to its kind. */
export async function referencesOfKind(
  { env, kind }: Pick<RehearsedResource, 'env' | 'kind'>,
  resource: Resource<unknown>,
): Promise<ReadonlyMap<string, Found>> {
  const references = referencesOf({ kind }, resource);
  const reads = references.map(async (one): Promise<[string, Found]> => {
    const live = await env.get(one.type, one.name, one);
    return [
      keyOfReference(one),
      live === undefined ? {} : { object: readObjectOf(one.type, live) },
    ];
  });
  return new Map(await Promise.all(reads));
}

function referencesOf(
  { kind }: Pick<RehearsedResource, 'kind'>,
  resource: Resource<unknown>,
): readonly Reference[] {
  const found = kind.references(resource);
  if (!('invalid' in found)) return found;
  throw new Error(`${kind.kind} ${resource.name} is invalid: ${found.invalid}`);
}

/**
 * Changes every value of the ConfigMaps and Secrets that the resource refers to. Requires that the run for
 * the audit event follows each change, so that the next run writes nothing.
 */
export async function requireFollowed(
  subject: RehearsedResource,
  resource: Resource<unknown>,
): Promise<readonly SkippedChange[]> {
  const skipped: SkippedChange[] = [];
  for (const reference of referencesOf(subject, resource)) {
    const live = await subject.env.get(reference.type, reference.name, reference);
    for (const [key, value] of Object.entries((live?.data ?? {}) as Values)) {
      const why = await requireChangeFollowed(subject, reference, { key, value });
      const child = `${reference.type.kind} ${reference.name}`;
      if (why !== undefined) skipped.push({ child, field: `data.${key}`, how: 'changed', why });
    }
  }
  return skipped;
}

type Values = Readonly<Record<string, string>>;

/** Returns why the change was not tried, or could not be followed. */
async function requireChangeFollowed(
  subject: RehearsedResource,
  reference: Reference,
  { key, value }: { readonly key: string; readonly value: string },
): Promise<string | undefined> {
  const { env, what } = subject;
  const { type, name } = reference;
  const isSecret = isSameType(type, secret);
  const other = isSecret ? Buffer.from(`${value}-changed`).toString('base64') : `${value}-changed`;
  const set = (to: string) =>
    env.patch(type, name, { body: { data: { [key]: to } }, ...reference });
  try {
    await set(other);
  } catch (error) {
    if (error instanceof RefusedError) return messageOf(error);
    throw error;
  }
  const { report } = await env.deliver();
  const why = report?.failures[0]?.message;
  const { preview, writes } = await rehearse(subject);
  if (why === undefined && writes.length > 0)
    throw breach(laws.followed, what, [
      `${type.kind} ${name}: data.${key} was changed, and a run after the one for its audit event still writes:`,
      ...plannedChanges(preview),
    ]);
  await set(value);
  await env.deliver();
  return why;
}
