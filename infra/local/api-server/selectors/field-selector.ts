import { badRequest } from '../errors/api-errors.ts';
import { own } from '../json/own.ts';
import type { Stored } from '../storage/stored.ts';
import { readFieldTerms } from './field-terms.ts';

export type FieldTest = (stored: Stored) => boolean;

export interface FieldSelector {
  readonly test: FieldTest;
  /** The one name the selector asks for, if it does: then no list is searched. */
  readonly name?: string;
}

export interface FieldSelectorOptions {
  readonly offered: readonly string[];
  readonly namespaced: boolean;
  readonly custom: boolean;
}

/** Reads `metadata.name=x,spec.type!=y`; a field the resource does not offer is a 400. */
export function parseFieldSelector(text: string, options: FieldSelectorOptions): FieldSelector {
  const terms = readFieldTerms(text);
  for (const { field } of terms) {
    const offered =
      field === 'metadata.name' ||
      (field === 'metadata.namespace' && options.namespaced) ||
      options.offered.includes(field);
    if (!offered) throw badRequest(refusal(field, options));
  }
  const exact = terms.find(({ field, wanted }) => field === 'metadata.name' && wanted);
  return {
    test: (stored) =>
      terms.every(({ field, value, wanted }) => (fieldValue(stored, field) === value) === wanted),
    ...(exact ? { name: exact.value } : {}),
  };
}

// Built-ins without fields of their own say which they know.
function refusal(field: string, { offered, namespaced, custom }: FieldSelectorOptions): string {
  return custom || offered.length > 0
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name"${namespaced ? ', "metadata.namespace"' : ''}`;
}

function fieldValue(stored: Stored, field: string): string {
  if (field === 'metadata.name') return stored.name;
  if (field === 'metadata.namespace') return stored.namespace;
  return own(stored.fields, field) ?? '';
}
