import { parseFieldSelector } from '../selectors/field-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector.ts';
import type { Stored } from '../storage/stored.ts';
import type { Call } from './call.ts';

/** The objects that a list, watch or deletecollection concerns. */
export interface Selection {
  /** The prefix of all keys in the namespace: `ns/`, or empty. */
  readonly prefix: string;
  readonly matches: (stored: Stored) => boolean;
  /** True if anything besides the namespace restricts it. */
  readonly selective: boolean;
  /** The only key that can match, if the selector names the object. */
  readonly key?: string;
}

export function selectionOf({ target, query }: Call): Selection {
  const { served, namespace, name } = target;
  const labelText = query.get('labelSelector') ?? '';
  // The old form of a watch may name one object in its path.
  const nameTerm = name === '' ? '' : `metadata.name=${name}`;
  const fieldText = [query.get('fieldSelector') ?? '', nameTerm].filter(Boolean).join(',');
  const labels = parseLabelSelector(labelText);
  const { resource } = served;
  const fields = parseFieldSelector(fieldText, {
    offered: resource.selectableFields,
    namespaced: resource.namespaced,
    custom: resource.custom,
  });
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const named = fields.name !== undefined && (prefix !== '' || !resource.namespaced);
  return {
    prefix,
    selective: labelText !== '' || fieldText !== '',
    matches: (stored) => labels(stored.labels) && fields.test(stored),
    ...(named ? { key: `${prefix}${fields.name}` } : {}),
  };
}
