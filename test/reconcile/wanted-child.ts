import { labelValue } from '../../shared/kinds/names.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';

/** A child as systems.md describes it, in a second hand: what the engine is judged by. */
export interface WantedChild {
  readonly type: ResourceType;
  readonly name: string;
  readonly fields: JsonObject;
  /** Names of other children without which this one is not written, as `Secret shop-credentials`. */
  readonly needs?: readonly string[];
  /** What it acts on, `Deployment shop`: where that is another's it is not to be there. */
  readonly actsOn?: string;
  /** One without a controller and with the labels of this one is adopted. */
  readonly isAdopted?: true;
  /** A key of a Secret's data that is generated once, and whose value only these know. */
  readonly once?: { readonly key: string; readonly usedBy: readonly string[] };
}

export const ownLabels = (partOf: string, name: string) => ({
  'app.kubernetes.io/managed-by': 'serverless-reconciler',
  'app.kubernetes.io/part-of': partOf,
  'app.kubernetes.io/instance': labelValue(name),
});

export const base64 = (text: unknown): string => Buffer.from(String(text)).toString('base64');
