import { deployment, service } from '../../shared/kinds/child-types.ts';
import { foo } from '../../shared/kinds/foo.ts';
import { dnsLabel, labelValue, workloadName } from '../../shared/kinds/names.ts';
import { website } from '../../shared/kinds/website.ts';
import type { Json, JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import type { Api, Live } from '../scenarios/api.ts';

/** A child as systems.md describes it, in a second hand: what the engine is judged by. */
export interface WantedChild {
  readonly type: ResourceType;
  readonly name: string;
  readonly fields: JsonObject;
}

/** What a resource is to have; undefined where nothing is done for it. */
export function wantedOf(resource: Live): readonly WantedChild[] | undefined {
  const { name, annotations, deletionTimestamp } = resource.metadata;
  if (deletionTimestamp !== undefined) return undefined;
  if (annotations?.['serverless-reconciler/suspend'] === 'true') return undefined;
  const spec = resource.spec as JsonObject;
  if (resource.kind === 'Foo') {
    return spec.deploymentName === undefined || spec.deploymentName === ''
      ? undefined
      : [fooDeployment(name, spec)];
  }
  return [websiteDeployment(name, spec), websiteService(name, spec)];
}

function fooDeployment(name: string, { deploymentName, replicas }: JsonObject): WantedChild {
  const labels = { app: 'nginx', controller: labelValue(name) };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] },
  };
  return {
    type: deployment,
    name: String(deploymentName),
    fields: {
      metadata: { labels: ownLabels('foo', name) },
      spec: {
        ...(replicas === undefined ? {} : { replicas }),
        selector: { matchLabels: labels },
        template,
      },
    },
  };
}

const siteLabels = (name: string) => ({ website: labelValue(name), type: 'Website' });

function websiteDeployment(name: string, { imageTag }: JsonObject): WantedChild {
  const labels = siteLabels(name);
  const image = `abangser/todo-local-storage:${String(imageTag)}`;
  const ports = [{ containerPort: 80, protocol: 'TCP' }];
  return {
    type: deployment,
    name: workloadName(name),
    fields: {
      metadata: { labels: { ...labels, ...ownLabels('website', name) } },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image, ports }] } },
      },
    },
  };
}

function websiteService(name: string, { nodePort }: JsonObject): WantedChild {
  const labels = siteLabels(name);
  return {
    type: service,
    name: dnsLabel(name),
    fields: {
      metadata: { labels: { ...labels, ...ownLabels('website', name) } },
      spec: {
        type: 'NodePort',
        selector: labels,
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort }],
      },
    },
  };
}

const ownLabels = (partOf: string, name: string) => ({
  'app.kubernetes.io/managed-by': 'serverless-reconciler',
  'app.kubernetes.io/part-of': partOf,
  'app.kubernetes.io/instance': labelValue(name),
});

/** Everything in a namespace that resources or their children are made of. */
export interface Scene {
  readonly resources: readonly Live[];
  readonly children: readonly Live[];
}

export async function look(api: Api): Promise<Scene> {
  const [websites, foos, deployments, services] = await Promise.all(
    [website, foo, deployment, service].map((type) => listed(api, type)),
  );
  return {
    resources: [...(websites ?? []), ...(foos ?? [])],
    children: [...(deployments ?? []), ...(services ?? [])],
  };
}

/** Items of a list lack apiVersion and kind. */
const listed = async (api: Api, type: ResourceType): Promise<readonly Live[]> =>
  (await api.list(type)).map((live) => ({ ...live, kind: type.kind }));

export const controllerOf = ({ metadata }: Live): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

export const isDeleting = ({ metadata }: Live): boolean => metadata.deletionTimestamp !== undefined;

/** Whether something that is not the resource's own stands where it wants a child. */
export const blockedBy = (scene: Scene, resource: Live): readonly Live[] =>
  (wantedOf(resource) ?? []).flatMap(({ type, name }) => {
    const live = childOf(scene, type, name);
    return live !== undefined && controllerOf(live) !== resource.metadata.uid ? [live] : [];
  });

/** Whether a child, wanted or not, is still on its way out. */
export const isHeldUp = (scene: Scene, { metadata: { uid } }: Live): boolean =>
  scene.children.some((live) => controllerOf(live) === uid && isDeleting(live));

const childOf = ({ children }: Scene, type: ResourceType, name: string): Live | undefined =>
  children.find(({ kind, metadata }) => kind === type.kind && metadata.name === name);

/**
 * What is wrong in a scene: children missing, not as wanted, or left over.
 *
 * Caveats: a resource somebody else's object stands in the way of, or one that is on its way out,
 * keeps what it no longer wants.
 */
export const faultsIn = (scene: Scene): readonly string[] =>
  scene.resources.flatMap((resource) => faultsOf(scene, resource));

function faultsOf(scene: Scene, resource: Live): readonly string[] {
  const wanted = wantedOf(resource);
  if (wanted === undefined) return [];
  const { name, uid } = resource.metadata;
  const of = `${resource.kind} ${name}`;
  const blocked = blockedBy(scene, resource).length > 0 || isHeldUp(scene, resource);
  const missing = wanted.flatMap(({ type, name: child, fields }) => {
    const live = childOf(scene, type, child);
    if (live === undefined) return [`${of}: ${type.kind} ${child} is missing`];
    if (controllerOf(live) !== uid || isDeleting(live)) return [];
    return misses(live as unknown as Json, fields, '').map(
      (path) => `${of}: ${type.kind} ${child} differs at ${path}`,
    );
  });
  const leftovers = scene.children
    .filter((live) => controllerOf(live) === uid && !isDeleting(live))
    .filter(
      ({ kind, metadata }) =>
        !wanted.some(({ type, name: child }) => type.kind === kind && child === metadata.name),
    )
    .map(({ kind, metadata }) => `${of}: ${kind} ${metadata.name} is left over`);
  return blocked ? missing : [...missing, ...leftovers];
}

/** Paths at which `live` is not as `wanted`; what is beside the wanted fields does not count. */
function misses(live: Json | undefined, wanted: Json | undefined, path: string): readonly string[] {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live)) return [path];
    return wanted.flatMap((item) => {
      const at = live.findIndex((other) => keyOf(other) === keyOf(item));
      return at < 0
        ? [`${path}[${keyOf(item)}]`]
        : misses(live[at], item, `${path}[${keyOf(item)}]`);
    });
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const fields = (live ?? {}) as JsonObject;
    const isWhole = path === '.spec.selector' && fields.matchLabels === undefined;
    if (isWhole && Object.keys(fields).length !== Object.keys(wanted).length) return [path];
    return Object.entries(wanted as JsonObject).flatMap(([field, value]) =>
      misses(fields[field], value, `${path}.${field}`),
    );
  }
  return live === wanted ? [] : [path];
}

const keyOf = (item: Json): string => {
  const { name, containerPort, port } = item as JsonObject;
  return String(containerPort ?? port ?? name);
};
