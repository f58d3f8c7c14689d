import { labelValue } from '../../shared/kinds/names.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';

/** A child as rows.md describes it, independently of the kinds, with which tests judge the engine. */
export interface DesiredChild {
  readonly type: ResourceType;
  readonly name: string;
  readonly fields: JsonObject;
  /** Other children before which this one is not written, such as `Secret shop-credentials`. */
  readonly needs?: readonly string[];
  /** The target, such as `Deployment shop`; while the target is foreign, this child must not exist. */
  readonly actsOn?: string;
  /** True if an object with the labels of this child and without a controller is adopted. */
  readonly isAdopted?: true;
  /** A key of a Secret that is generated once, and the objects that rely on its value. */
  readonly once?: { readonly key: string; readonly usedBy: readonly string[] };
}

export const ownLabels = (partOf: string, name: string) => ({
  'app.kubernetes.io/managed-by': 'serverless-reconciler',
  'app.kubernetes.io/part-of': partOf,
  'app.kubernetes.io/instance': labelValue(name),
});

export const base64 = (text: unknown): string => Buffer.from(String(text)).toString('base64');
