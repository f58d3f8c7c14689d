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

/** How the rollout of a kind is steered, from the metadata of its definition. */
export async function readSteering(
  { cluster }: Pick<Run, 'cluster'>,
  kind: Kind,
): Promise<Steering> {
  const metadata = await cluster.getMetadata(definitionType, { name: groupResource(kind) });
  return metadata === undefined ? unsteered : steeringOf(metadata);
}
