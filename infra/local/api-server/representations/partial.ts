import type { JsonObject } from '../json/value.ts';
import type { Stored } from '../storage/stored.ts';
import type { MediaType } from './media-type.ts';

/** The form in which an answer is shown. */
export interface Representing {
  readonly media: MediaType;
  readonly query: URLSearchParams;
  readonly now: Date;
  /** Only the first table of a watch has column definitions. */
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
