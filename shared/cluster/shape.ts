import { isFields } from '../json.ts';
import type { KubeObject } from '../kubernetes.ts';

/** A page of a list; its items have not been checked yet. */
export interface Page {
  /** Each item is replaced by undefined once it has been read. */
  readonly items: unknown[];
  /** Empty on the last page. */
  readonly token: string;
}

/** Returns the page, or a string that says why the answer is not a list. Go writes an empty list as null. */
export function pageOf(value: unknown): Page | string {
  if (!isFields(value)) return 'it is not an object';
  const { items, metadata } = value;
  if (!isFields(metadata)) return 'its metadata is not an object';
  const { continue: token = '' } = metadata;
  if (typeof token !== 'string') return 'its metadata.continue is not a string';
  if (items !== null && !Array.isArray(items)) return 'its items are not a list';
  return { items: items ?? [], token };
}

/**
 * Says which field that identifies an object or locks its writes is missing or malformed; undefined if
 * none is. Other fields are not checked.
 */
export function identityProblem(value: unknown): string | undefined {
  if (!isFields(value)) return 'it is not an object';
  const { metadata } = value;
  if (!isFields(metadata)) return 'its metadata is not an object';
  const { namespace = '' } = metadata;
  if (typeof namespace !== 'string') return 'its metadata.namespace is not a string';
  const missing = ['name', 'uid', 'resourceVersion'].find((field) => !isFilled(metadata[field]));
  return missing && `its metadata.${missing} is not a string, or is empty`;
}

export const isIdentified = (value: unknown): value is KubeObject =>
  identityProblem(value) === undefined;

const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';
