import type { ChildKey } from '../audit/route.ts';
import { unlessNotFound } from '../cluster/cluster-errors.ts';
import type { ChildName } from '../kinds/child.ts';
import { desiredBy, type Kind, ownedType } from '../kinds/kind.ts';
import { isInSelection } from '../kinds/references/grants.ts';
import { includesDigestOf } from '../kinds/references/short-digests.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  type ResourceType,
} from '../kubernetes.ts';
import type { Labels } from '../label-selector.ts';
import type { ObservedResource } from '../plan/observed/observed-resource.ts';
import { keyOfReference, namespaceOf, type World } from '../plan/observed/world.ts';
import { type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import type { Area } from '../run/area.ts';
import type { Run } from '../run/run.ts';
import { listResources } from './listing.ts';

export type Lookup<T> = (run: Run) => Promise<readonly T[]>;

export interface Changes {
  /** Children whose owner is unknown. */
  readonly lost: readonly ChildKey[];
  /** Objects that resources may refer to. */
  readonly referred: readonly Labelled[];
}

interface Labelled extends ChildKey {
  /** The labels, by which a selector may match the object; undefined if it is gone. */
  readonly labels?: Labels | undefined;
}

const changesFor = ({ owns, refersTo }: Kind, { lost, referred }: Changes): Changes => ({
  lost: lost.filter(({ type }) => includesType(owns, type)),
  referred: referred.filter(({ type }) => includesType(refersTo, type)),
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
    const listIn = (namespace: string | undefined, changes: Changes) => (run: Run) =>
      listConcerned(run, namespace, { kind, changes });
    if (own.referred.some(({ type }) => readsElsewhere(kind, type)))
      return (namespaces ?? [undefined]).map((namespace) => listIn(namespace, own));
    const namespaceFor = ({ namespace }: ChildKey): string =>
      isClusterScoped(kind) ? '' : namespace;
    return [...new Set([...own.lost, ...own.referred].map(namespaceFor))].map((namespace) => {
      const isHere = (one: ChildKey): boolean => namespaceFor(one) === namespace;
      return listIn(namespace, {
        lost: own.lost.filter(isHere),
        referred: own.referred.filter(isHere),
      });
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
  { kind, changes }: { readonly kind: Kind; readonly changes: Changes },
): Promise<readonly ReconcileRequest[]> {
  const lost = new Set(changes.lost.map(keyOfReference));
  const referred = new Map(changes.referred.map((one) => [keyOfReference(one), one]));
  const requests: ReconcileRequest[] = [];
  const keep = (resource: ObservedResource): void => {
    if (isConcerned({ kind, resource }, lost, referred))
      requests.push(requestIn(kind, resource.namespace, resource.name));
  };
  const namespaces = namespace === undefined ? undefined : [namespace];
  const area = { kinds: [kind], namespaces, name: undefined };
  await listResources(run, area, kind, keep).catch(unlessNotFound);
  return requests;
}

type Subject = Pick<World, 'kind' | 'resource'>;

function isConcerned(
  subject: Subject,
  lost: ReadonlySet<string>,
  referred: ReadonlyMap<string, Labelled>,
): boolean {
  try {
    return (
      (referred.size > 0 && refersToAny(subject, referred)) ||
      (lost.size > 0 && wantsAny(subject, lost))
    );
  } catch {
    // Counts as concerned: the kind's code threw, and the resource's own run reports that.
    return true;
  }
}

/** Reports whether a resource refers to any of these objects: by name, or by a selector that matches or matched it. */
function refersToAny({ kind, resource }: Subject, objects: ReadonlyMap<string, Labelled>): boolean {
  const digests = resource.status.lastApplied?.selected ?? '';
  if ([...objects.keys()].some((key) => includesDigestOf(digests, key))) return true;
  const references = kind.references(resource);
  if ('invalid' in references) return false;
  return references.some(({ reader: _, ...one }) =>
    one.selector === undefined
      ? objects.has(keyOfReference(one))
      : [...objects.values()].some(
          (object) => isSameType(one.type, object.type) && isInSelection(one, object),
        ),
  );
}

/** Includes the children in `status.children` if the kind reads other objects. */
function wantsAny({ kind, resource }: Subject, names: ReadonlySet<string>): boolean {
  const isNamed = (child: ChildName): boolean =>
    names.has(keyOfReference({ ...child, namespace: namespaceOf(resource, child) }));
  const recorded = kind.refersTo.length === 0 ? [] : (resource.status.children ?? []);
  const isRecorded = recorded.some((ref) => {
    const type = ownedType(kind, ref);
    return type !== undefined && isNamed({ ...ref, type });
  });
  if (isRecorded) return true;
  const desired = desiredBy(kind, resource)(resource);
  return !('invalid' in desired) && desired.some(isNamed);
}
