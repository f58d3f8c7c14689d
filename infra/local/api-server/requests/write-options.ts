import { invalidObject } from '../errors/api-errors.ts';
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../errors/field-error.ts';
import { unprintable } from '../go/print.ts';
import type { KubeObject } from '../objects/object.ts';
import type { ParsedRequest, Verb } from './request-info.ts';

const optionsKind = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' };
const validations = ['Ignore', 'Strict', 'Warn'] as const;
/** In bytes. */
const managerLimit = 128;
export const applyPatchType = 'application/apply-patch+yaml';

/** The writer and the options of a write. */
export interface Writer {
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly warn: (text: string) => void;
  /** Throws if the object would grant what the caller does not have. */
  readonly assertGrant?: AssertGrant;
}

export type AssertGrant = (object: KubeObject, old: KubeObject | undefined) => void;

type Sent = Pick<ParsedRequest, 'query' | 'userAgent' | 'contentType' | 'warn'> & {
  readonly verb: Verb;
  readonly assertGrant: AssertGrant;
};

/**
 * Reads the writer and the options of a create, update or patch from the query. The default field manager
 * comes from the User-Agent.
 */
export function writerOf(call: Sent): Writer {
  const { query } = call;
  const kind = optionsKind[call.verb as keyof typeof optionsKind];
  const errors = [
    ...(call.verb === 'patch' ? patchErrors(call) : []),
    ...fieldManagerErrors(query),
    ...dryRunErrors(query.getAll('dryRun')),
    ...fieldValidationErrors(query),
  ];
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, errors);
  const validation = validations.find((one) => one === query.get('fieldValidation')) ?? 'Warn';
  return {
    manager: query.get('fieldManager') || managerOf(call.userAgent),
    dryRun: query.has('dryRun'),
    fieldValidation: validation,
    warn: call.warn,
    assertGrant: call.assertGrant,
  };
}

function managerOf(userAgent: string): string {
  const name = (userAgent.split('/')[0] ?? '').replace(unprintable, '');
  let manager = '';
  for (const character of name) {
    if (Buffer.byteLength(manager + character) > managerLimit) break;
    manager += character;
  }
  return manager;
}

/** Validates the values of `dryRun`, of which only `All` is known. */
export function dryRunErrors(given: readonly string[]): FieldError[] {
  return given.every((value) => value === 'All') ? [] : [notSupported('dryRun', given, ['All'])];
}

/** Requires a field manager for an apply, and refuses `force` elsewhere. */
function patchErrors({ query, contentType }: Sent): FieldError[] {
  if (contentType !== applyPatchType) {
    const message = 'may not be specified for non-apply patch';
    return query.has('force') ? [forbidden('force', message)] : [];
  }
  return query.get('fieldManager') ? [] : [required('fieldManager', 'is required for apply patch')];
}

function fieldManagerErrors(query: URLSearchParams): FieldError[] {
  const manager = query.get('fieldManager') ?? '';
  return [
    ...(Buffer.byteLength(manager) <= managerLimit ? [] : [tooLong('fieldManager', managerLimit)]),
    ...unprintableErrors(manager),
  ];
}

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
