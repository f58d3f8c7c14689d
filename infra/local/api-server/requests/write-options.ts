import { internal, invalidObject } from '../errors/errors.ts';
import { invalid, notSupported, required } from '../schema/field-error.ts';
import type { Writer } from '../writes/target.ts';
import type { Call } from './call.ts';

const OPTIONS_KIND = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' };
const VALIDATION = ['Ignore', 'Strict', 'Warn'] as const;
const MANAGER_LIMIT = 128;

/** Who writes and how, as the query says; the user agent names a manager that does not name itself. */
export const writerOf = (call: Call): Writer => {
  const { query } = call;
  const kind = OPTIONS_KIND[call.verb as keyof typeof OPTIONS_KIND] ?? 'DeleteOptions';
  const errors = [
    ...dryRunErrors(query),
    ...fieldManagerErrors(query),
    ...fieldValidationErrors(query),
  ];
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, errors);
  const manager = query.get('fieldManager') || (call.userAgent.split('/')[0] ?? '');
  const validation = VALIDATION.find((one) => one === query.get('fieldValidation')) ?? 'Warn';
  return {
    manager: manager.slice(0, MANAGER_LIMIT),
    dryRun: isDryRun(query),
    fieldValidation: validation,
    warn: call.warn,
  };
};

export const isDryRun = (query: URLSearchParams): boolean => query.getAll('dryRun').includes('All');

const dryRunErrors = (query: URLSearchParams) => {
  const given = query.getAll('dryRun');
  return given.every((value) => value === 'All') ? [] : [notSupported('dryRun', given, ['All'])];
};

const fieldManagerErrors = (query: URLSearchParams) => {
  const manager = query.get('fieldManager') ?? '';
  const tooLong = {
    reason: 'FieldValueTooLong',
    field: 'fieldManager',
    message: `Too long: may not be more than ${MANAGER_LIMIT} bytes`,
  };
  return [...(manager.length <= MANAGER_LIMIT ? [] : [tooLong]), ...unprintableErrors(manager)];
};

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const unprintableErrors = (manager: string) =>
  [...manager.matchAll(UNPRINTABLE)].map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const at = Buffer.byteLength(manager.slice(0, index));
    const shown = JSON.stringify(manager).replace(/\\u00([01])/g, '\\x$1');
    return {
      reason: 'FieldValueInvalid',
      field: 'fieldManager',
      message: `Invalid value: ${shown}: invalid character U+${code} (at position ${at})`,
    };
  });

const fieldValidationErrors = (query: URLSearchParams) => {
  const value = query.get('fieldValidation') ?? '';
  const known = value === '' || VALIDATION.some((one) => one === value);
  return known ? [] : [notSupported('fieldValidation', value, ['', ...VALIDATION])];
};

/** What apply needs beside the rest: a manager that names itself. */
export const assertApplyOptions = ({ query }: Call): void => {
  if (query.get('fieldManager')) return;
  throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, [
    required('fieldManager', 'is required for apply patch'),
  ]);
};

/** `force` belongs to apply alone. */
export const assertNoForce = ({ query }: Call): void => {
  if (query.get('force') === null) return;
  throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, [
    {
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    },
  ]);
};

/** Reads a resourceVersion of a query. What is no number is a 500 to all but lists. */
export const parseRevision = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text);
  const { field, message } = invalid(
    'resourceVersion',
    text,
    `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
  throw internal(`${field}: ${message}`);
};
