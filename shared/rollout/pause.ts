import type { Kind } from '../kinds/kind.ts';
import { rolloutAnnotation } from '../kinds/names.ts';
import { groupResource, type ObjectMeta, type ResourceType } from '../kubernetes.ts';
import type { Run } from '../run/run.ts';

/** The pause of a kind's rollout, which an annotation of its CRD sets. */
export interface RolloutPause {
  readonly paused: boolean;
  /** The time when the rollout was resumed: earlier failures do not count. Empty if all failures count. */
  readonly resumedAt: string;
}

export const notPaused: RolloutPause = { paused: false, resumedAt: '' };

/** Any value that is not a time pauses the rollout, so that a typo also stops it. */
export function rolloutPauseOf({ annotations }: Pick<ObjectMeta, 'annotations'>): RolloutPause {
  const value = annotations?.[rolloutAnnotation];
  if (value === undefined) return notPaused;
  return isTime(value) ? { paused: false, resumedAt: value } : { paused: true, resumedAt: '' };
}

/** Requires the format of metav1.Time. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));

export const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

export async function readRolloutPause(
  { cluster }: Pick<Run, 'cluster'>,
  kind: Kind,
): Promise<RolloutPause> {
  const metadata = await cluster.getMetadata(definitionType, { name: groupResource(kind) });
  return metadata === undefined ? notPaused : rolloutPauseOf(metadata);
}
