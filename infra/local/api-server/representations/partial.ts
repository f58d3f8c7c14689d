import type { JsonObject } from '../json/value.ts';
import type { Stored } from '../storage/stored.ts';
import type { MediaType } from './media-type.ts';

/** How an answer is to be shown. */
export interface Representing {
  readonly media: MediaType;
  readonly query: URLSearchParams;
  readonly now: Date;
  /** Of the tables of a watch only the first names its columns. */
  readonly withoutColumns?: boolean;
}

/** The metadata alone. */
export function partial(stored: Stored, metaVersion: string): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: JSON.parse(stored.body).metadata,
  };
}
