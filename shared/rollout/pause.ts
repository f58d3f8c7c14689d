import type { Kind } from '../kinds/kind.ts';
import { rolloutAnnotation } from '../kinds/names.ts';
import { groupResource, type ObjectMeta, type ResourceType } from '../kubernetes.ts';
import type { Run } from '../run/run.ts';

/** Whether the rollout of a kind is paused, by an annotation of its definition. */
export interface RolloutPause {
  readonly paused: boolean;
  /** Failures up to this time no longer count; empty if all do. */
  readonly resumedAt: string;
}

export const notPaused: RolloutPause = { paused: false, resumedAt: '' };

export const pausedValue = 'paused';

/** Guarantees: whatever is neither absent nor a time pauses, as nothing begins then. */
export function rolloutPauseOf({ annotations }: Pick<ObjectMeta, 'annotations'>): RolloutPause {
  const value = annotations?.[rolloutAnnotation];
  if (value === undefined) return notPaused;
  return isTime(value) ? { paused: false, resumedAt: value } : { paused: true, resumedAt: '' };
}

/** As in metav1.Time, so that times can be compared as texts. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));

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
