import { messageOf } from '../shared/cluster/cluster-errors.ts';
import { secret } from '../shared/kinds/child-types/core.ts';
import type { Reference, Resource } from '../shared/kinds/reads.ts';
import { isReadable } from '../shared/kinds/references/grants.ts';
import { isSameType } from '../shared/kubernetes.ts';
import { selectorText } from '../shared/label-selector.ts';
import { readObjectOf } from '../shared/plan/observed/read-object.ts';
import { type Found, foundBySelector, keyOfReference } from '../shared/plan/observed/world.ts';
import type { SkippedChange } from './drift/drift-law.ts';
import { breach, laws } from './law.ts';
import { plannedChanges, type RehearsedResource, rehearse } from './rehearse.ts';
import { type LiveObject, RefusedError } from './user.ts';

/** Reads the objects in the form in which a run passes them to the kind. */
export async function referencesOfKind(
  { env, kind }: Pick<RehearsedResource, 'env' | 'kind'>,
  resource: Resource<unknown>,
): Promise<ReadonlyMap<string, Found>> {
  const references = referencesOf({ kind }, resource);
  const reads = references.map(async (one): Promise<[string, Found]> => {
    const found = (await objectsOf(env, one)).map((live) => ({
      namespace: live.metadata.namespace ?? '',
      name: live.metadata.name,
      resourceVersion: live.metadata.resourceVersion,
      object: readObjectOf(one.type, live),
    }));
    return [
      keyOfReference(one),
      one.selector === undefined ? (found[0] ?? {}) : foundBySelector(one, found),
    ];
  });
  return new Map(await Promise.all(reads));
}

/** Omits objects that the resource may not read. */
async function objectsOf(
  env: RehearsedResource['env'],
  reference: Reference,
): Promise<readonly LiveObject[]> {
  const { type, namespace, name, selector } = reference;
  const labelSelector = selectorText(selector ?? []);
  const found =
    selector === undefined
      ? [await env.get(type, name, { namespace })]
      : await env.list(type, { namespace, ...(labelSelector === '' ? {} : { labelSelector }) });
  return found
    .filter((one) => one !== undefined)
    .filter((one) => isReadable(reference, one.metadata));
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
 * Changes every value of the ConfigMaps and Secrets that the resource refers to. Requires that the run for the audit
 * event updates all children: the next run must write nothing.
 */
export async function requireFollowed(
  subject: RehearsedResource,
  resource: Resource<unknown>,
): Promise<readonly SkippedChange[]> {
  const skipped: SkippedChange[] = [];
  for (const { type, ...reference } of referencesOf(subject, resource))
    for (const live of await objectsOf(subject.env, { type, ...reference }))
      for (const [key, value] of Object.entries((live.data ?? {}) as Values)) {
        const { name, namespace = '' } = live.metadata;
        const why = await requireChangeFollowed(subject, { type, name, namespace }, { key, value });
        const child = `${type.kind} ${name}`;
        if (why !== undefined) skipped.push({ child, field: `data.${key}`, how: 'changed', why });
      }
  return skipped;
}

type Values = Readonly<Record<string, string>>;

/** Returns the reason if the change could not be tested. */
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
  // Delivers again, because if the object is a child, the first run only restores it; a second run updates its readers.
  await env.deliver();
  const why = report?.failures[0]?.message;
  const { preview, writes } = await rehearse(subject);
  if (why === undefined && writes.length > 0)
    throw breach(laws.followed, what, [
      `data.${key} of ${type.kind} ${name} was changed, but the run for the audit event left these writes to the next run:`,
      ...plannedChanges(preview),
    ]);
  await set(value);
  await env.deliver();
  return why;
}
