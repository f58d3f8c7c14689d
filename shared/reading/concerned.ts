import type { ChildKey } from '../audit/route.ts';
import { unlessNotFound } from '../cluster/cluster-errors.ts';
import { desiredBy, type Kind, ownedType } from '../kinds/kind.ts';
import { isInSelection } from '../kinds/references/grants.ts';
import { isMarked } from '../kinds/references/marks.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  type ResourceType,
} from '../kubernetes.ts';
import type { Labels } from '../label-selector.ts';
import type { ObservedResource } from '../plan/observed/observed.ts';
import { keyOfReference, namespaceOf } from '../plan/observed/world.ts';
import { type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import type { Area } from '../run/area.ts';
import type { Run } from '../run/run.ts';
import { listResources } from './listing.ts';

export type Lookup<T> = (run: Run) => Promise<readonly T[]>;

/** What a delivery changed: children whose owner is unknown, and objects that resources may refer to. */
export interface Changes {
  readonly lost: readonly ChildKey[];
  readonly referred: readonly ChildKey[];
  /** Those objects of `referred` that a selector may match, with their labels. An object without `labels` is gone. */
  readonly selected?: readonly Labelled[];
}

interface Labelled extends ChildKey {
  readonly labels?: Labels | undefined;
}

/** Selects the changes that may affect resources of this kind. */
const changesFor = (
  { owns, refersTo }: Kind,
  { lost, referred, selected = [] }: Changes,
): Required<Changes> => ({
  lost: lost.filter(({ type }) => includesType(owns, type)),
  referred: referred.filter(({ type }) => includesType(refersTo, type)),
  selected: selected.filter(({ type }) => includesType(refersTo, type)),
});

const isNone = ({ lost, referred }: Changes): boolean => lost.length + referred.length === 0;

/** Returns requests for all resources of each kind that the changes may affect. */
export const wholeKinds = (kinds: readonly Kind[], changes: Changes): readonly ReconcileRequest[] =>
  kinds
    .filter((kind) => !isNone(changesFor(kind, changes)))
    .map((kind) => reconcileRequest(groupResource(kind)));

/** Returns lookups; each lists the resources of a kind that the changes affect. */
export function listsOfConcerned(
  { kinds, namespaces }: Omit<Area, 'name'>,
  changes: Changes,
): readonly Lookup<ReconcileRequest>[] {
  return kinds.flatMap((kind) => {
    const own = changesFor(kind, changes);
    if (isNone(own)) return [];
    const listIn = (namespace: string | undefined, some: Required<Changes>) => (run: Run) =>
      listConcerned(run, namespace, { kind, changes: some });
    if (own.referred.some(({ type }) => readsElsewhere(kind, type)))
      return (namespaces ?? [undefined]).map((namespace) => listIn(namespace, own));
    const namespaceFor = ({ namespace }: ChildKey): string =>
      isClusterScoped(kind) ? '' : namespace;
    return [...new Set([...own.lost, ...own.referred].map(namespaceFor))].map((namespace) => {
      const isHere = (one: ChildKey): boolean => namespaceFor(one) === namespace;
      const { lost, referred, selected } = own;
      const here = [lost.filter(isHere), referred.filter(isHere), selected.filter(isHere)] as const;
      return listIn(namespace, { lost: here[0], referred: here[1], selected: here[2] });
    });
  });
}

/** Reports whether resources may read objects of a type outside their own namespace. */
const readsElsewhere = ({ reads }: Kind, type: ResourceType): boolean =>
  Object.values(reads).some((one) => one.from !== undefined && isSameType(one.type, type));

/** Returns the request for the resource of this name that may own or want a child in the namespace. */
export const requestIn = (kind: Kind, namespace: string, name: string): ReconcileRequest =>
  reconcileRequest(groupResource(kind), isClusterScoped(kind) ? undefined : namespace, name);

async function listConcerned(
  run: Run,
  namespace: string | undefined,
  { kind, changes }: { readonly kind: Kind; readonly changes: Required<Changes> },
): Promise<readonly ReconcileRequest[]> {
  const lost = new Set(changes.lost.map(keyOfReference));
  const referred = new Set(changes.referred.map(keyOfReference));
  const requests: ReconcileRequest[] = [];
  const keep = (resource: ObservedResource): void => {
    const written = { referred, selected: changes.selected };
    if (refersToAny(kind, resource, written) || wantsAny(kind, resource, lost))
      requests.push(requestIn(kind, resource.namespace, resource.name));
  };
  const namespaces = namespace === undefined ? undefined : [namespace];
  const area = { kinds: [kind], namespaces, name: undefined };
  await listResources(run, area, kind, keep).catch(unlessNotFound);
  return requests;
}

interface Written extends Pick<Required<Changes>, 'selected'> {
  /** Keys of the written objects. */
  readonly referred: ReadonlySet<string>;
}

/**
 * Reports whether a resource refers to any of these objects: by name, or by a selector that matches or
 * matched it.
 */
function refersToAny(
  kind: Kind,
  resource: ObservedResource,
  { referred, selected }: Written,
): boolean {
  if (referred.size === 0) return false;
  const marks = resource.status.lastApplied?.selected ?? '';
  if (selected.some((one) => isMarked(marks, keyOfReference(one)))) return true;
  try {
    const references = kind.references(resource);
    return (
      !('invalid' in references) &&
      references.some(({ reader: _, ...one }) =>
        one.selector === undefined
          ? referred.has(keyOfReference(one))
          : selected.some(
              (object) => isSameType(one.type, object.type) && isInSelection(one, object),
            ),
      )
    );
  } catch {
    // Counts as a reference: the kind's code threw, and the resource's own run reports that.
    return true;
  }
}

/**
 * Reports whether a resource wants any of these children. If the kind reads other objects, children in
 * `status.children` count as well.
 */
function wantsAny(kind: Kind, resource: ObservedResource, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  const known = kind.refersTo.length === 0 ? [] : (resource.status.children ?? []);
  const isKnown = known.some((ref) => {
    const type = ownedType(kind, ref);
    return (
      type !== undefined &&
      names.has(keyOfReference({ type, name: ref.name, namespace: namespaceOf(resource, ref) }))
    );
  });
  if (isKnown) return true;
  try {
    const desired = desiredBy(kind, resource)(resource);
    return (
      !('invalid' in desired) &&
      desired.some((child) =>
        names.has(keyOfReference({ ...child, namespace: namespaceOf(resource, child) })),
      )
    );
  } catch {
    // Counts as wanted: the kind's code threw, and the resource's own run reports that.
    return true;
  }
}
