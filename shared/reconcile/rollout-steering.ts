import type { Kind } from '../kinds/kind.ts';
import { groupResource, type ResourceType } from '../kubernetes.ts';
import { type Steering, steeringOf, unsteered } from '../plan/rollout-steering.ts';
import type { Run } from './run.ts';

export const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/** Where the definitions of kinds are read. */
export interface Steered {
  readonly cluster: Pick<Run['cluster'], 'getMetadata'>;
}

/** How the rollout of a kind is steered, from the metadata of its definition. */
export async function readSteering({ cluster }: Steered, kind: Kind): Promise<Steering> {
  const metadata = await cluster.getMetadata(definitionType, { name: groupResource(kind) });
  return metadata === undefined ? unsteered : steeringOf(metadata);
}
