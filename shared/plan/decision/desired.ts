import type { Child } from '../../kinds/child.ts';
import type { FindObject, Reference } from '../../kinds/reads.ts';
import type { ObjectRef } from '../../kubernetes.ts';
import {
  type FailedRequest,
  type Found,
  keyOfReference,
  refTo,
  type World,
} from '../observed/world.ts';

/** The children that a resource wants, or why they are not known. */
export type Desired =
  | { readonly children: readonly Child[] }
  | { readonly invalid: string }
  /** References that are not read yet. */
  | { readonly unread: readonly Reference[] }
  /** References that cannot be read. */
  | { readonly failed: readonly FailedReference[] };

interface FailedReference extends Reference {
  readonly failure: FailedRequest;
}

/**
 * The children that a resource wants, which depend on what it refers to.
 *
 * Guarantees: `children` is called only if every reference was read or found absent.
 */
export function desiredOf({
  kind,
  resource,
  reads,
}: Pick<World, 'kind' | 'resource' | 'reads'>): Desired {
  const references = kind.references(resource);
  if ('invalid' in references) return references;
  const unread = references.filter((one) => reads?.has(keyOfReference(one)) !== true);
  if (unread.length > 0) return { unread };
  const failed = references.flatMap((one) => {
    const found = reads?.get(keyOfReference(one));
    return found !== undefined && 'failure' in found ? [{ ...one, failure: found.failure }] : [];
  });
  if (failed.length > 0) return { failed };
  const children = kind.desired(resource, finderIn(reads));
  return 'invalid' in children ? children : { children };
}

/** The reference for messages and plans, with its namespace only if the resource has none. */
export const refToReference = (
  resource: Pick<World['resource'], 'namespace'>,
  { type, namespace, name }: Reference,
): ObjectRef =>
  refTo(type, name, resource.namespace === '' && namespace !== '' ? namespace : undefined);

/** Looks up a referenced object. */
export const finderIn =
  (reads: ReadonlyMap<string, Found> | undefined): FindObject =>
  (reference) => {
    const found = reads?.get(keyOfReference(reference));
    return found !== undefined && 'object' in found ? found.object : undefined;
  };

/** Reports whether other objects decide what the resource wants, which may then change without its spec. */
export const hasReads = ({ reads }: Pick<World, 'reads'>): boolean =>
  reads !== undefined && reads.size > 0;
