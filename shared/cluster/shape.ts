import { isFields } from '../json.ts';
import type { KubeObject } from '../kubernetes.ts';

/** A page of a list with unchecked items. */
export interface Page {
  /** Each item is replaced by undefined once it was read. */
  readonly items: unknown[];
  /** The continue token; undefined on the last page. */
  readonly token: string | undefined;
}

/** Returns the page, or why the response is not a list. Accepts null for an empty list, as Go writes it. */
export function pageOf(value: unknown): Page | string {
  if (!isFields(value)) return 'it is not an object';
  const { items, metadata } = value;
  if (!isFields(metadata)) return 'its metadata is not an object';
  const { continue: token = '' } = metadata;
  if (typeof token !== 'string') return 'its metadata.continue is not a string';
  if (items !== null && !Array.isArray(items)) return 'its items are not a list';
  return { items: items ?? [], token: token || undefined };
}

/** Names a malformed field among those that identify an object or lock its writes; undefined if none is malformed. */
export function identityProblem(value: unknown): string | undefined {
  if (!isFields(value)) return 'it is not an object';
  const { metadata } = value;
  if (!isFields(metadata)) return 'its metadata is not an object';
  const { namespace = '' } = metadata;
  if (typeof namespace !== 'string') return 'its metadata.namespace is not a string';
  const missing = identifying.find((field) => !isFilled(metadata[field]));
  return missing && `its metadata.${missing} is not a string, or is empty`;
}

const identifying = ['name', 'uid', 'resourceVersion'] as const;

export const isIdentified = (value: unknown): value is KubeObject =>
  identityProblem(value) === undefined;

const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';
