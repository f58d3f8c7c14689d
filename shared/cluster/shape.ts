import { isFields } from '../json.ts';
import type { KubeObject } from '../kubernetes.ts';

/** A page of a list whose items have not been checked yet. */
export interface Page {
  readonly items: readonly unknown[];
  /** Empty on the last page. */
  readonly token: string;
}

/** Why an answer is not a list; Go's nil for an empty list is one. */
export function pageOf(value: unknown): Page | string {
  if (!isFields(value)) return 'it is no object';
  const { items, metadata } = value;
  if (!isFields(metadata)) return 'its metadata is no object';
  const { continue: token = '' } = metadata;
  if (typeof token !== 'string') return 'its metadata.continue is no text';
  if (items !== null && !Array.isArray(items)) return 'its items are no list';
  return { items: items ?? [], token };
}

/**
 * The field an object lacks of those that every write is locked to and every decision names it by;
 * undefined where it has all of them. The rest of it may be of any shape.
 */
export function identityProblem(value: unknown): string | undefined {
  if (!isFields(value)) return 'it is no object';
  const { metadata } = value;
  if (!isFields(metadata)) return 'its metadata is no object';
  const { namespace = '' } = metadata;
  if (typeof namespace !== 'string') return 'its metadata.namespace is no text';
  const missing = ['name', 'uid', 'resourceVersion'].find((field) => !isFilled(metadata[field]));
  return missing && `its metadata.${missing} is no text, or empty`;
}

export const isIdentified = (value: unknown): value is KubeObject =>
  identityProblem(value) === undefined;

const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';
