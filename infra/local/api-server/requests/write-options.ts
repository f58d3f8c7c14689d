import { invalidObject } from '../errors/api-errors.ts';
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../errors/field-error.ts';
import type { ParsedRequest, Verb } from './request-info.ts';

const optionsKind = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' };
const validations = ['Ignore', 'Strict', 'Warn'] as const;
const managerLimit = 128;

/** The writer and the options of a write. */
export interface Writer {
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly warn: (text: string) => void;
}

type Sent = Pick<ParsedRequest, 'query' | 'userAgent' | 'warn'> & { readonly verb: Verb };

/** The writer and the options from the query; the user agent is the default field manager. */
export function writerOf(call: Sent): Writer {
  const { query } = call;
  const kind = optionsKind[call.verb as keyof typeof optionsKind] ?? 'DeleteOptions';
  const errors = [
    ...dryRunErrors(query),
    ...fieldManagerErrors(query),
    ...fieldValidationErrors(query),
  ];
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, errors);
  const manager = query.get('fieldManager') || (call.userAgent.split('/')[0] ?? '');
  const validation = validations.find((one) => one === query.get('fieldValidation')) ?? 'Warn';
  return {
    manager: manager.slice(0, managerLimit),
    dryRun: isDryRun(query),
    fieldValidation: validation,
    warn: call.warn,
  };
}

export function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').includes('All');
}

function dryRunErrors(query: URLSearchParams) {
  const given = query.getAll('dryRun');
  return given.every((value) => value === 'All') ? [] : [notSupported('dryRun', given, ['All'])];
}

function fieldManagerErrors(query: URLSearchParams): FieldError[] {
  const manager = query.get('fieldManager') ?? '';
  return [
    ...(manager.length <= managerLimit ? [] : [tooLong('fieldManager', managerLimit)]),
    ...unprintableErrors(manager),
  ];
}

const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function unprintableErrors(manager: string): FieldError[] {
  return [...manager.matchAll(unprintable)].map(({ 0: character, index }) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const at = Buffer.byteLength(manager.slice(0, index));
    return invalid('fieldManager', manager, `invalid character U+${code} (at position ${at})`);
  });
}

function fieldValidationErrors(query: URLSearchParams) {
  const value = query.get('fieldValidation') ?? '';
  const known = value === '' || validations.some((one) => one === value);
  return known ? [] : [notSupported('fieldValidation', value, ['', ...validations])];
}

/** What apply needs beside the rest: a manager that names itself. */
export function assertApplyOptions({ query }: Pick<Sent, 'query'>): void {
  if (query.get('fieldManager')) return;
  throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, [
    required('fieldManager', 'is required for apply patch'),
  ]);
}

/** `force` belongs to apply alone. */
export function assertNoForce({ query }: Pick<Sent, 'query'>): void {
  if (query.get('force') === null) return;
  throw invalidObject({ group: 'meta.k8s.io', kind: 'PatchOptions' }, [
    forbidden('force', 'may not be specified for non-apply patch'),
  ]);
}
