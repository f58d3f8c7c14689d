import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import type { Condition } from '../../shared/plan/observed/conditions.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import type { Live } from './api.ts';
import type { Place } from './place.ts';

export interface ServicePort extends JsonObject {
  readonly port: number;
  readonly nodePort?: number;
}

/** Creates a Website, with an unused node port unless one is given. */
export const newSite = (place: Place, name = 'shop', spec: JsonObject = {}): Promise<Live> =>
  place.api.create(website, name, {
    spec: { imageTag: 'v1', nodePort: spec.nodePort ?? place.stage.nodePort(), ...spec },
  });

export const newFoo = (
  place: Place,
  name: string,
  deploymentName: string,
  replicas = 1,
): Promise<Live> => place.api.create(foo, name, { spec: { deploymentName, replicas } });

export const rename = (place: Place, name: string, deploymentName: string): Promise<Live> =>
  place.api.patch(foo, name, { spec: { deploymentName } });

/** Builds a foreign Deployment. */
export const foreignDeployment = (metadata: JsonObject = {}) =>
  ({
    metadata,
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'theirs' } },
      template: {
        metadata: { labels: { app: 'theirs' } },
        spec: { containers: [{ name: 'theirs', image: 'theirs:1' }] },
      },
    },
  }) satisfies JsonObject;

/** Builds a foreign Service. */
export const foreignService = (spec: JsonObject = {}) =>
  ({
    spec: { selector: { app: 'theirs' }, ports: [{ port: 80, protocol: 'TCP' }], ...spec },
  }) satisfies JsonObject;

/** A finalizer that keeps an object until it is removed. */
export const hold = { metadata: { finalizers: ['example.org/hold'] } };
export const letGo = { metadata: { finalizers: null } };

export const condition = (live: Live, type: string): Condition | undefined =>
  live.status?.conditions?.find((one) => one.type === type);

export const portsOf = ({ spec }: Live): readonly ServicePort[] =>
  (spec?.ports ?? []) as unknown as readonly ServicePort[];

/** Returns the node port for port 80 of a Service. */
export const nodePortOf = (live: Live): number | undefined =>
  portsOf(live).find(({ port }) => port === 80)?.nodePort;

/** Reports whether a resource is Ready for its newest generation. */
export async function isReady(place: Place, type: ResourceType, name: string): Promise<boolean> {
  const live = await place.api.get(type, name);
  const isCurrent = live.status?.observedGeneration === live.metadata.generation;
  return isCurrent && condition(live, 'Ready')?.status === 'True';
}

/** Returns the replicas of a Deployment; undefined if it does not exist. */
export const replicasOf = async (place: Place, name: string): Promise<unknown> =>
  (await place.api.find(deployment, name))?.spec?.replicas;

/** Creates the Foo `example` with its Deployment `chosen`, makes it Ready by resyncs, and then delivers audit entries. */
export async function startedFoo(place: Place, replicas = 2): Promise<void> {
  await newFoo(place, 'example', 'chosen', replicas);
  await place.converge();
  await place.caughtUp();
  place.listen();
}
