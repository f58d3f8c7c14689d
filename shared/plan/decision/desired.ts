import { weightOf } from '../../json.ts';
import { type Child, titleOfChild } from '../../kinds/child.ts';
import { desiredBy } from '../../kinds/kind.ts';
import type { FindObject, Reference } from '../../kinds/reads.ts';
import { keyOf, type ObjectRef } from '../../kubernetes.ts';
import { maxWanted } from '../observed/recorded-status.ts';
import {
  type FailedRequest,
  type Found,
  keyOfReference,
  refOf,
  refTo,
  type World,
} from '../observed/world.ts';
import { fillTemplates } from './fill-templates.ts';

/** The children that a resource wants, or why they are not known. */
export type Desired =
  | {
      readonly children: readonly Child[];
      /** Estimated size of the children on the heap. */
      readonly bytes: number;
    }
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
export function desiredOf(world: Pick<World, 'kind' | 'resource' | 'reads' | 'children'>): Desired {
  const { kind, resource, reads } = world;
  const found = lookupOf({ kind, resource, reads });
  if (!('find' in found)) return found;
  const unfilled = desiredBy(kind, resource)(resource, found.find);
  if ('invalid' in unfilled) return unfilled;
  const children = fillTemplates(world, unfilled);
  if (children.length > maxWanted)
    return {
      invalid: `${children.length} children are wanted, more than ${maxWanted}; ${divide}`,
    };
  const bytes = weightOf(
    children.map(({ body, labels, annotations }) => [body, labels, annotations]),
    maxBytes,
  );
  if (bytes > maxBytes)
    return {
      invalid: `the wanted children take more than ${maxBytes / 2 ** 20} MiB of memory; ${divide}`,
    };
  const twice = repeated(children);
  return twice === undefined ? { children, bytes } : { invalid: twice };
}

/** Limit of what a resource's children take on the heap. A function of 256 MiB can write that much. */
const maxBytes = 32 * 2 ** 20;

const divide = 'divide them between several resources';

/** Names two children of one type, namespace and name. */
function repeated(children: readonly Child[]): string | undefined {
  const places = new Map<string, number>();
  for (const [at, child] of children.entries()) {
    const key = keyOf(refOf(child));
    const first = places.get(key);
    if (first !== undefined)
      return `${titleOfChild(child)} is wanted twice, as children ${first + 1} and ${at + 1}; give one of them another name`;
    places.set(key, at);
  }
  return undefined;
}

type Referring = Pick<World, 'kind' | 'resource'> & { readonly reads: World['reads'] | undefined };

type Lookup = Exclude<Desired, { readonly children: unknown }> | { readonly find: FindObject };

/** Returns a lookup of what the resource refers to, or why not everything is known. */
function lookupOf({ kind, resource, reads }: Referring): Lookup {
  const references = kind.references(resource);
  if ('invalid' in references) return references;
  const unread = references.filter((one) => reads?.has(keyOfReference(one)) !== true);
  if (unread.length > 0) return { unread };
  const failed = references.flatMap((one) => {
    const found = reads?.get(keyOfReference(one));
    return found !== undefined && 'failure' in found ? [{ ...one, failure: found.failure }] : [];
  });
  return failed.length > 0 ? { failed } : { find: finderIn(reads) };
}

/** Looks up what the resource refers to; undefined if not everything is known. */
export function finderOf(world: Referring): FindObject | undefined {
  const found = lookupOf(world);
  return 'find' in found ? found.find : undefined;
}

/** The reference for messages and plans, with its namespace only if the resource is not in it. */
export const refToReference = (
  resource: Pick<World['resource'], 'namespace'>,
  { type, namespace, name }: Reference,
): ObjectRef =>
  refTo(type, name, ['', resource.namespace].includes(namespace) ? undefined : namespace);

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
