import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import type { Live } from './api.ts';
import type { Place } from './place.ts';

/** Names of the children of the Application `shop`. */
export const child = {
  secret: 'shop-secret-greeting',
  deployment: 'shop-deployment-microservice',
  service: 'shop-service-microservice',
} as const;

export const greetingKey = 'GREETING_MESSAGE';
export const hashLabel = 'application.sample.ibm.com/spec-hash';
const digestAnnotation = 'serverless-reconciler/secret-digest';

export const newApplication = (place: Place, name = 'shop', spec: JsonObject = {}): Promise<Live> =>
  place.api.create(application, name, { spec: { version: '1.0.0', ...spec } });

export const editApplication = (place: Place, spec: JsonObject): Promise<Live> =>
  place.api.patch(application, 'shop', { spec });

export const deploymentOf = (place: Place): Promise<Live> =>
  place.api.get(deployment, child.deployment);

/** Creates the Application `shop` and makes it Ready; returns its Deployment. */
export async function startedApplication(place: Place): Promise<Live> {
  await newApplication(place);
  await place.converge();
  return deploymentOf(place);
}

interface Template {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly (JsonObject & { readonly image: string })[] };
}

const templateOf = ({ spec }: Live): Template => spec?.template as unknown as Template;

export function containerOf(live: Live): JsonObject & { readonly image: string } {
  const [container] = templateOf(live).spec.containers;
  if (container === undefined) throw new Error('a Deployment without a container');
  return container;
}

/** Returns the digest of the Secret in the pod template, whose change rolls the pods. */
export const digestOf = (live: Live): string | undefined =>
  templateOf(live).metadata.annotations?.[digestAnnotation];
