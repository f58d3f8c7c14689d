import { labelValue } from '../../shared/kinds/names.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';

/** Describes a child as systems.md does, independently of the kinds, to judge the engine by. */
export interface DesiredChild {
  readonly type: ResourceType;
  readonly name: string;
  readonly fields: JsonObject;
  /** Names other children without which this one is not written, such as `Secret shop-credentials`. */
  readonly needs?: readonly string[];
  /** Names the target it acts on, such as `Deployment shop`; it must not exist while another owns that. */
  readonly actsOn?: string;
  /** True if an object with the labels of this one and without a controller is adopted. */
  readonly isAdopted?: true;
  /** Names a key of a Secret that is generated once, and the objects that rely on its value. */
  readonly once?: { readonly key: string; readonly usedBy: readonly string[] };
}

export const ownLabels = (partOf: string, name: string) => ({
  'app.kubernetes.io/managed-by': 'serverless-reconciler',
  'app.kubernetes.io/part-of': partOf,
  'app.kubernetes.io/instance': labelValue(name),
});

export const base64 = (text: unknown): string => Buffer.from(String(text)).toString('base64');
