import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { readTypesOf } from '../../shared/kinds/reads.ts';
import type { Json, JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { misrouted } from './admission.ts';
import type { DesiredChild } from './desired-child.ts';
import { desiredChildrenOf } from './desired-children.ts';
import { endpointsOf } from './desired-container-app.ts';

/** All resources and children in a namespace. */
export interface Scene {
  readonly resources: readonly Live[];
  readonly children: readonly Live[];
}

export async function look(api: Api, kinds: readonly Kind[] = [website, foo]): Promise<Scene> {
  const types = new Set(kinds.flatMap((kind) => [...kind.owns, ...readTypesOf(kind)]));
  const [resources, children] = await Promise.all(
    [kinds, [...types]].map((all) => Promise.all(all.map((type) => listed(api, type)))),
  );
  return { resources: resources?.flat() ?? [], children: children?.flat() ?? [] };
}

/** Lists objects, and adds the kind, which items of a list lack. */
const listed = async (api: Api, type: ResourceType): Promise<readonly Live[]> =>
  (await api.list(type)).map((live) => ({ ...live, kind: type.kind }));

export const controllerOf = ({ metadata }: Live): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

export const isDeleting = ({ metadata }: Live): boolean => metadata.deletionTimestamp !== undefined;

/** Lists foreign objects with the name of a desired child. */
export const blockedBy = (scene: Scene, resource: Live): readonly Live[] =>
  (desiredChildrenOf(resource) ?? []).flatMap((desired) => {
    const live = childOf(scene, desired);
    return live !== undefined && !isOwn(live, resource) && !isAdoptable(live, desired)
      ? [live]
      : [];
  });

/** Reports whether a child blocked by a foreign object needs a child that is being deleted. */
export const isUnmet = (scene: Scene, resource: Live, foreign: Live): boolean =>
  (desiredChildrenOf(resource) ?? []).some((desired) => {
    const live = childOf(scene, desired);
    const users = desired.once?.usedBy ?? [];
    return (
      live !== undefined &&
      isDeleting(live) &&
      users.includes(`${foreign.kind} ${foreign.metadata.name}`)
    );
  });

export const isOwn = (live: Live, { metadata: { uid } }: Live): boolean =>
  controllerOf(live) === uid;

/** Reports whether an object without a controller is to be adopted as the desired child. */
export const isAdoptable = (live: Live, { isAdopted, fields }: DesiredChild): boolean =>
  isAdopted === true &&
  controllerOf(live) === undefined &&
  misses(live.metadata as unknown as Json, fields.metadata, '').length === 0;

/** Reports whether generated data is lost while an object relies on it; not before its Secret is gone. */
export const isLost = (scene: Scene, desired: DesiredChild): boolean => {
  if (desired.once === undefined) return false;
  const { key, usedBy } = desired.once;
  const live = childOf(scene, desired);
  if (live !== undefined && isDeleting(live)) return false;
  const data = (live?.data ?? {}) as Readonly<Record<string, string>>;
  return (data[key] ?? '') === '' && usedBy.some((name) => isThere(scene, name));
};

const isThere = ({ children }: Scene, desired: string): boolean =>
  children.some(({ kind, metadata }) => `${kind} ${metadata.name}` === desired);

/** Reports whether a child, desired or not, or a foreign object with its name is still being deleted. */
export const isHeldUp = (scene: Scene, resource: Live): boolean => {
  const desired = desiredChildrenOf(resource) ?? [];
  return scene.children.some(
    (live) =>
      isDeleting(live) &&
      (isOwn(live, resource) || desired.some((one) => childOf(scene, one) === live)),
  );
};

const childOf = ({ children }: Scene, { type, name }: DesiredChild): Live | undefined =>
  children.find(({ kind, metadata }) => kind === type.kind && metadata.name === name);

/**
 * Lists children that are missing, differ, or should not exist. Caveats: a resource that is blocked by a
 * foreign object, or by one that is being deleted, keeps children that are no longer desired.
 */
export const faultsIn = (scene: Scene): readonly string[] =>
  scene.resources.flatMap((resource) => faultsOf(scene, resource));

function faultsOf(scene: Scene, resource: Live): readonly string[] {
  const desired = desiredChildrenOf(resource);
  if (desired === undefined) return [];
  const { name, uid } = resource.metadata;
  const of = `${resource.kind} ${name}`;
  const withheld = withheldOf(scene, resource, desired);
  const isBlocked =
    withheld.size > 0 || blockedBy(scene, resource).length > 0 || isHeldUp(scene, resource);
  const missing = desired.flatMap((one) => {
    const live = childOf(scene, one);
    const child = `${one.type.kind} ${one.name}`;
    // Ignores Ingresses while any child waits, because Ingresses are written in order.
    if (live !== undefined && isAstray(scene, { resource, one, live }))
      return [`${of}: ${child} acts on ${one.actsOn}, which is another's`];
    if (withheld.has(child) || (isBlocked && one.type.kind === ingress.kind)) return [];
    if (live === undefined) return [`${of}: ${child} is missing`];
    if (isDeleting(live)) return [];
    if (isAdoptable(live, one)) return [`${of}: ${child} is not taken over`];
    if (!isOwn(live, resource)) return [];
    const paths = misses(live as unknown as Json, one.fields, '');
    return paths.map((path) => `${of}: ${child} differs at ${path}`);
  });
  if (isBlocked) return missing;
  const own = scene.children.filter((live) => controllerOf(live) === uid && !isDeleting(live));
  const leftovers = own
    .filter((live) => !desired.some((one) => childOf(scene, one) === live))
    .map(({ kind, metadata }) => `${of}: ${kind} ${metadata.name} is left over`);
  return [...missing, ...leftovers, ...admissionFaults(own, resource)];
}

/** Reports whether a child of the resource acts on a foreign target. */
const isAstray = (
  scene: Scene,
  {
    resource,
    one,
    live,
  }: { readonly resource: Live; readonly one: DesiredChild; readonly live: Live },
): boolean =>
  isOwn(live, resource) &&
  !isDeleting(live) &&
  blockedBy(scene, resource).some(
    ({ kind, metadata }) => `${kind} ${metadata.name}` === one.actsOn,
  );

/** Lists children that must wait, because their data is lost or a foreign object blocks a child that they need. */
function withheldOf(
  scene: Scene,
  resource: Live,
  desired: readonly DesiredChild[],
): ReadonlySet<string> {
  const barred = new Set(
    blockedBy(scene, resource).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  );
  for (const one of desired) {
    const live = childOf(scene, one);
    const isGoing = live !== undefined && isDeleting(live);
    if (isGoing || isLost(scene, one)) barred.add(`${one.type.kind} ${one.name}`);
  }
  const withheld = desired
    .filter(
      (one) =>
        isLost(scene, one) ||
        [...(one.needs ?? []), one.actsOn ?? ''].some((need) => barred.has(need)),
    )
    .map(({ type, name }) => `${type.kind} ${name}`);
  return new Set(withheld);
}

/** Lists requests that the Ingresses of a ContainerApp do not respond as its endpoints require. */
function admissionFaults(own: readonly Live[], { kind, metadata, spec }: Live): readonly string[] {
  if (kind !== 'ContainerApp') return [];
  const ingresses = own.filter((live) => live.kind === ingress.kind);
  return misrouted(ingresses, endpointsOf(spec ?? {})).map(
    (fault) => `${kind} ${metadata.name}: ${fault}`,
  );
}

/** Lists paths at which `live` differs from `desired`, ignoring additional fields of `live`. */
function misses(
  live: Json | undefined,
  desired: Json | undefined,
  path: string,
): readonly string[] {
  if (Array.isArray(desired)) {
    if (!Array.isArray(live)) return [path];
    if (isAtomic(path) && live.length !== desired.length) return [path];
    return desired.flatMap((item) => {
      const at = live.findIndex((other) => keyOf(other) === keyOf(item));
      return at < 0
        ? [`${path}[${keyOf(item)}]`]
        : misses(live[at], item, `${path}[${keyOf(item)}]`);
    });
  }
  if (typeof desired === 'object' && desired !== null) {
    const fields = (live ?? {}) as JsonObject;
    const isWhole = path === '.spec.selector' && fields.matchLabels === undefined;
    if (isWhole && Object.keys(fields).length !== Object.keys(desired).length) return [path];
    return Object.entries(desired as JsonObject).flatMap(([field, value]) =>
      misses(fields[field], value, `${path}.${field}`),
    );
  }
  return live === desired ? [] : [path];
}

const isAtomic = (path: string): boolean => /^\.spec\.metrics|\.accessModes$/.test(path);

const keyOf = (item: Json): string => {
  if (typeof item !== 'object' || item === null) return String(item);
  const { name, containerPort, port, protocol = 'TCP', mountPath } = item as JsonObject;
  const number = containerPort ?? port;
  return String(number === undefined ? (mountPath ?? name) : `${number}/${protocol}`);
};
