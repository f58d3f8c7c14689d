import type { FieldError } from '../../errors/field-error.ts';
import { invalid, required } from '../../errors/field-error.ts';
import { dnsLabel1035 } from '../../objects/names.ts';
import type { Definition } from './definition.ts';

/** Validates the names of a definition. */
export function namesErrors({ spec }: Definition): FieldError[] {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = spec.names;
  const field = 'spec.names';
  const isSame = Boolean(kind) && kind === listKind;
  return [
    ...Object.entries({ plural, kind })
      .filter(([, name]) => !name)
      .map(([name]) => required(`${field}.${name}`)),
    ...dnsLabelErrors(plural, `${field}.plural`),
    ...dnsLabelErrors(singular, `${field}.singular`),
    ...kindErrors(kind, `${field}.kind`),
    ...kindErrors(listKind, `${field}.listKind`),
    ...shortNames.flatMap((name, index) => dnsLabelErrors(name, `${field}.shortNames[${index}]`)),
    ...(isSame
      ? [invalid(`${field}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => dnsLabelErrors(name, `${field}.categories[${index}]`)),
  ];
}

/** Combines all errors of a text that is not a label into one. */
export function dnsLabelErrors(text: string | undefined, field: string): FieldError[] {
  const why = text ? dnsLabel1035(text) : [];
  return why.length === 0 ? [] : [invalid(field, text, why.join(','))];
}

function kindErrors(kind: string | undefined, field: string): FieldError[] {
  const why = kind ? dnsLabel1035(kind.toLowerCase()) : [];
  const text = `may have mixed case, but should otherwise match: ${why.join(',')}`;
  return why.length === 0 ? [] : [invalid(field, kind, text)];
}
