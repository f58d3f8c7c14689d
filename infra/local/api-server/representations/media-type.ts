import { notAcceptable } from '../errors/errors.ts';

/** The form an answer takes. */
export interface MediaType {
  readonly format: 'json' | 'yaml';
  readonly as: 'object' | 'table' | 'metadata';
  /** The version of meta.k8s.io that tables and partial objects are shown in. */
  readonly metaVersion: string;
}

const PLAIN: MediaType = { format: 'json', as: 'object', metaVersion: 'v1' };

const TRANSFORMS: Readonly<Record<string, MediaType['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/** The first form in an Accept header that is offered; 406 when none is. */
export const negotiate = (accept: string): MediaType => {
  if (accept === '') return PLAIN;
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const format = formatOf(type);
    if (format === undefined) continue;
    const values = new Map(parameters.map((one) => one.split('=', 2) as [string, string]));
    const as = values.get('as');
    if (as === undefined) return { ...PLAIN, format };
    const transform = TRANSFORMS[as];
    const version = values.get('v') ?? 'v1';
    if (transform && values.get('g') === 'meta.k8s.io' && ['v1', 'v1beta1'].includes(version)) {
      return { format, as: transform, metaVersion: version };
    }
  }
  throw notAcceptable();
};

const formatOf = (type: string): MediaType['format'] | undefined => {
  if (['application/json', '*/*', 'application/*'].includes(type)) return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
};
