import { appliedAnnotation } from '../../kinds/names.ts';
import type { KubeObject } from '../../kubernetes.ts';

/**
 * What a child was last applied for, as an annotation on it: a digest of the fields, and of what the
 * resource refers to if its kind refers to anything.
 */
export interface Stamp {
  /** The resource's generation when the fields were first applied. */
  readonly generation: number;
  readonly fields: string;
  readonly reads: string | undefined;
}

/** The stamp of a live object; undefined if it has none that we can have written. */
export function readStamp({ metadata }: Pick<KubeObject, 'metadata'>): Stamp | undefined {
  const text = metadata.annotations?.[appliedAnnotation] ?? '';
  const [, generation, fields, reads] = legal.exec(text) ?? [];
  return fields === undefined ? undefined : { generation: Number(generation), fields, reads };
}

export const stampText = ({ generation, fields, reads }: Stamp): string =>
  [generation, fields, ...(reads === undefined ? [] : [reads])].join('.');

const legal = /^(\d{1,15})\.([0-9a-f]{16})(?:\.([0-9a-f]{16}))?$/;
