import { notAcceptable, notAccepted } from '../errors/api-errors.ts';
import { type AcceptClause, acceptClauses } from './accept.ts';

/** The form an answer takes. */
export interface MediaType {
  readonly format: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'metadata' | 'metadata-list';
  /** The version of meta.k8s.io in which tables and partial objects are answered. */
  readonly metaVersion: string;
}

export const plain: MediaType = { format: 'json', as: 'object', metaVersion: 'v1' };

const transforms: ReadonlyMap<string, MediaType['as']> = new Map([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'metadata'],
  ['PartialObjectMetadataList', 'metadata-list'],
]);

const objectTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
] as const;
const streamTypes = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/** Properties of a resource on which the negotiation depends. */
export interface ResourceTraits {
  readonly custom: boolean;
  readonly collection: boolean;
  readonly watch: boolean;
  /** True for reviews, which are never stored and have no tables. */
  readonly isReview?: true;
}

/**
 * Negotiates the form of an answer by the Accept header; throws a 406 if none fits. For built-in resources,
 * the types are first compared literally, so `application/*` matches none.
 *
 * Caveats: never answers protobuf, so a client that accepts nothing else gets a 406.
 */
export function negotiate(accept: string, traits: ResourceTraits): MediaType {
  if (plainAccepts.includes(accept)) return plain;
  if (!traits.custom) assertProduced(accept, traits.collection);
  const media = preferred(accept, ({ as }) => as !== 'table' || traits.isReview !== true);
  if (media === undefined || (traits.watch && media.format === 'yaml')) {
    throw notAccepted(traits.watch ? streamTypes : objectTypes);
  }
  return media;
}

const plainAccepts = ['', '*/*', 'application/json'];

function preferred(
  accept: string,
  isOffered: (media: MediaType) => boolean = () => true,
): MediaType | undefined {
  return acceptClauses(accept)
    .map(mediaTypeOf)
    .find((one) => one !== undefined && isOffered(one));
}

/** Returns the format of an error: the client's preference if possible. */
export function formatOf(accept: string): MediaType['format'] {
  const media = plainAccepts.includes(accept) ? plain : (preferred(accept) ?? plain);
  return media.as === 'object' ? media.format : 'json';
}

/** Throws a 406 unless one of the types is accepted. */
export function assertProduced(
  accept: string,
  collection: boolean,
  types: readonly string[] = objectTypes,
): void {
  const named = accept.split(',').map((clause) => clause.split(';', 1)[0]?.trim() ?? '');
  if (named.some((type) => type === '*/*' || types.includes(type))) return;
  throw notAcceptable(collection ? [...types, ...streamTypes] : types);
}

/** Returns the form that a clause requests; undefined if no answer has it. */
function mediaTypeOf({ type, subtype, parameters }: AcceptClause): MediaType | undefined {
  const isAny = subtype === '*' && ['*', 'application'].includes(type);
  const format = isAny || subtype === 'json' ? 'json' : 'yaml';
  const isOffered = isAny || (type === 'application' && ['json', 'yaml'].includes(subtype));
  if (!isOffered || !['watch', undefined].includes(parameters.get('stream'))) return undefined;
  if (!['as', 'g', 'v'].some((name) => parameters.has(name))) return { ...plain, format };
  const metaVersion = parameters.get('v') ?? '';
  const as = transforms.get(parameters.get('as') ?? '');
  const isMeta = parameters.get('g') === 'meta.k8s.io' && ['v1', 'v1beta1'].includes(metaVersion);
  return isMeta && as !== undefined ? { format, as, metaVersion } : undefined;
}
