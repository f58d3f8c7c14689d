import { appliedAnnotation } from '../kinds/names.ts';
import type { KubeObject } from '../kubernetes.ts';

/**
 * What a child was last applied for, as an annotation on it: a digest of the fields, and of what the
 * resource refers to if its kind refers to anything.
 */
export interface Stamp {
  readonly fields: string;
  readonly reads: string | undefined;
}

/** The stamp of a live object; undefined if it has none that we can have written. */
export function readStamp({ metadata }: Pick<KubeObject, 'metadata'>): Stamp | undefined {
  const [, fields, reads] = legal.exec(metadata.annotations?.[appliedAnnotation] ?? '') ?? [];
  return fields === undefined ? undefined : { fields, reads };
}

const legal = /^([0-9a-f]{16})(?:\.([0-9a-f]{16}))?$/;
