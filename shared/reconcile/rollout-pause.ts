import type { Kind } from '../kinds/kind.ts';
import { groupResource, type ResourceType } from '../kubernetes.ts';
import { notPaused, type RolloutPause, rolloutPauseOf } from '../plan/rollout-pause.ts';
import type { Run } from './run.ts';

export const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/** Where the definitions of kinds are read. */
export interface DefinitionReader {
  readonly cluster: Pick<Run['cluster'], 'getMetadata'>;
}

/** Whether the rollout of a kind is paused, from the metadata of its definition. */
export async function readRolloutPause(
  { cluster }: DefinitionReader,
  kind: Kind,
): Promise<RolloutPause> {
  const metadata = await cluster.getMetadata(definitionType, { name: groupResource(kind) });
  return metadata === undefined ? notPaused : rolloutPauseOf(metadata);
}
