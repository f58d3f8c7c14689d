import { setTimeout as delay } from 'node:timers/promises';
import { groupResource } from '../../shared/kubernetes.ts';
import {
  blockedBy,
  controllerOf,
  faultsIn,
  isDeleting,
  isHeldUp,
  isLost,
  look,
  type Scene,
} from '../reconcile/desired.ts';
import { desiredChildrenOf } from '../reconcile/desired-children.ts';
import type { Live } from '../scenarios/api.ts';
import { portsOf, type ServicePort } from '../scenarios/resources.ts';
import { kinds } from '../support/config.ts';
import { bystander, type Field } from './field.ts';

/** The objects in the namespace of each team. */
export type Scenes = ReadonlyMap<string, Scene>;

export async function readScenes(field: Field): Promise<Scenes> {
  const scenes = await Promise.all(
    field.teams.map(async (namespace) => {
      const { resources, children } = await look(field.api(namespace), kinds);
      const others = children.filter(({ metadata }) => !metadata.name.startsWith(bystander));
      return [namespace, { resources, children: others }] as const;
    }),
  );
  return new Map(scenes);
}

/** Lists all faults, such as `soak-1: Foo f: Deployment a is missing`. */
export const faultsInScenes = (scenes: Scenes): readonly string[] =>
  [...scenes].flatMap(([namespace, scene]) =>
    faultsIn(scene)
      .filter((fault) => !isForWantOfPort(scenes, scene, fault))
      .map((fault) => `${namespace}: ${fault}`),
  );

/** Reports whether a Website lacks its Service only because another Service has its node port. */
function isForWantOfPort(scenes: Scenes, scene: Scene, fault: string): boolean {
  const [, name] = /^Website (\S+): Service /.exec(fault) ?? [];
  const site = scene.resources.find((one) => one.kind === 'Website' && one.metadata.name === name);
  const port = site?.spec?.nodePort;
  if (site === undefined || port === undefined) return false;
  return [...scenes.values()]
    .flatMap(({ children }) => children)
    .filter((live) => live.kind === 'Service' && controllerOf(live) !== site.metadata.uid)
    .some((live) => portsOf(live).some(({ nodePort }: ServicePort) => nodePort === port));
}

/**
 * Lists blocked resources, such as `soak-1: Foo f`. They are blocked by a foreign object with a desired
 * name, a child being deleted or a node port in use, which may be free by the next resync.
 */
export function obstructed(scenes: Scenes): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [namespace, scene] of scenes) {
    for (const resource of scene.resources) {
      const { kind, metadata } = resource;
      const isPortless = faultsIn({ ...scene, resources: [resource] }).some((fault) =>
        isForWantOfPort(scenes, scene, fault),
      );
      if (isPortless || blockedBy(scene, resource).length > 0 || isHeldUp(scene, resource))
        found.add(`${namespace}: ${kind} ${metadata.name}`);
    }
  }
  return found;
}

/** Lists Databases, such as `soak-1: Database d`, whose lost password has not been restored. */
export const withheld = (scenes: Scenes): readonly string[] =>
  [...scenes].flatMap(([namespace, scene]) =>
    scene.resources
      .filter((one) => desiredChildrenOf(one)?.some((desired) => isLost(scene, desired)))
      .map(({ kind, metadata }) => `${namespace}: ${kind} ${metadata.name}`),
  );

/** Lists children without finalizers whose resource is gone. */
export const orphansIn = (scenes: Scenes): readonly string[] =>
  [...scenes].flatMap(([namespace, { resources, children }]) => {
    const uids = new Set(resources.map(({ metadata }) => metadata.uid));
    const isOurs = ({ metadata }: Live): boolean =>
      metadata.ownerReferences?.some(
        ({ controller, kind }) => controller === true && kinds.some((one) => one.kind === kind),
      ) === true;
    const isHeld = ({ metadata }: Live): boolean =>
      (metadata.finalizers ?? []).some((one) => one.startsWith('other/'));
    return children
      .filter((live) => isOurs(live) && !uids.has(controllerOf(live) ?? '') && !isHeld(live))
      .map(({ kind, metadata }) => `${namespace}: ${kind} ${metadata.name}`);
  });

/** Lists resources whose status is of an older generation, although nothing blocks them. */
export const unreported = (scenes: Scenes): readonly string[] => {
  const excused = obstructed(scenes);
  return [...scenes].flatMap(([namespace, { resources }]) =>
    resources
      .filter(
        (one) => !isDeleting(one) && one.status?.observedGeneration !== one.metadata.generation,
      )
      .map(({ kind, metadata }) => `${namespace}: ${kind} ${metadata.name}`)
      .filter((name) => !excused.has(name)),
  );
};

/** Lists our autoscalers that scale a foreign workload. */
export const strayAutoscalers = (scenes: Scenes): readonly string[] =>
  [...scenes].flatMap(([namespace, { children }]) =>
    children
      .filter((live) => live.kind === 'HorizontalPodAutoscaler' && controllerOf(live) !== undefined)
      .flatMap((live) => {
        const { name } = (live.spec?.scaleTargetRef ?? {}) as { readonly name?: string };
        const target = children.find(
          (one) => one.kind === 'Deployment' && one.metadata.name === name,
        );
        const isForeign = target !== undefined && controllerOf(target) !== controllerOf(live);
        return isForeign
          ? [
              `${namespace}: HorizontalPodAutoscaler ${live.metadata.name} scales another's Deployment`,
            ]
          : [];
      }),
  );

/** Finds the resource with a key such as `foos.example.com soak-1/f`, and its scene. */
export function findResource(
  scenes: Scenes,
  key: string,
): { readonly live: Live; readonly scene: Scene } | undefined {
  const [, plural, namespace = '', name] = /^(\S+) ([^/]+)\/(.+)$/.exec(key) ?? [];
  const scene = scenes.get(namespace);
  const kind = kinds.find((one) => groupResource(one) === plural)?.kind;
  const live = scene?.resources.find((one) => one.kind === kind && one.metadata.name === name);
  return scene && live && { live, scene };
}

const stillMs = 2_000;
const timeoutMs = 240_000;

/** Waits until nothing changes and the garbage collector has finished, or for a limited time. */
export async function rest(field: Field): Promise<Scenes> {
  const end = Date.now() + timeoutMs;
  let last = '';
  let since = Date.now();
  for (;;) {
    const scenes = await readScenes(field);
    const now = versionsIn(everythingIn(scenes));
    if (now !== last) since = Date.now();
    last = now;
    const isBusy = orphansIn(scenes).length > 0 || isGoing(scenes);
    if (Date.now() > end || (!isBusy && Date.now() - since > stillMs)) return scenes;
    await delay(300);
  }
}

const isGoing = (scenes: Scenes): boolean =>
  everythingIn(scenes).some(
    (live) =>
      isDeleting(live) &&
      !(live.metadata.finalizers ?? []).some(
        (one) => one.startsWith('other/') || one === 'kubernetes.io/pvc-protection',
      ),
  );

const everythingIn = (scenes: Scenes): readonly Live[] =>
  [...scenes.values()].flatMap(({ resources, children }) => [...resources, ...children]);

/** Returns a text that stays equal while no object changes. */
export const versionsIn = (objects: readonly Live[]): string =>
  objects.map(({ metadata }) => `${metadata.uid}/${metadata.resourceVersion}`).join();
