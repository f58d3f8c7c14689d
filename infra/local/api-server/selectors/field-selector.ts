import { badRequest } from '../errors/api-errors.ts';
import { own } from '../json/own.ts';
import type { Stored } from '../storage/stored.ts';
import { readFieldTerms } from './field-terms.ts';

export type FieldTest = (stored: Stored) => boolean;

export interface FieldSelector {
  readonly test: FieldTest;
  /** The single name that the selector requires, if any; then no list is searched. */
  readonly name?: string;
}

export interface FieldSelectorOptions {
  readonly offered: readonly string[];
  readonly namespaced: boolean;
  readonly custom: boolean;
}

/** Parses `metadata.name=x,spec.type!=y`; a field that the resource does not offer is a 400. */
export function parseFieldSelector(text: string, options: FieldSelectorOptions): FieldSelector {
  const terms = readFieldTerms(text);
  for (const { field } of terms) {
    if (!isOffered(field, options)) throw badRequest(refusal(field, options));
  }
  const exact = terms.find(({ field, wanted }) => field === 'metadata.name' && wanted);
  return {
    test: (stored) =>
      terms.every(({ field, value, wanted }) => (fieldValue(stored, field) === value) === wanted),
    ...(exact ? { name: exact.value } : {}),
  };
}

function isOffered(field: string, options: FieldSelectorOptions): boolean {
  if (field === 'metadata.name') return true;
  if (field === 'metadata.namespace') return options.namespaced || hasCommonFields(options);
  return options.offered.includes(field);
}

/** Built-in kinds without selectable fields of their own have the same two, even if cluster-wide. */
function hasCommonFields({ custom, offered }: FieldSelectorOptions): boolean {
  return !custom && offered.length === 0;
}

function refusal(field: string, options: FieldSelectorOptions): string {
  return hasCommonFields(options)
    ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${field}`;
}

function fieldValue(stored: Stored, field: string): string {
  if (field === 'metadata.name') return stored.name;
  if (field === 'metadata.namespace') return stored.namespace;
  return own(stored.fields, field) ?? '';
}
