import { posix } from 'node:path';
import { badRequest } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';
import { typeProblem } from '../go/print.ts';
import { syntaxProblem } from '../json/syntax.ts';
import { isObject, type JsonObject } from '../json/value.ts';

/** The position of the next page of a list: `start` is a key within the list, `rv` its revision. */
export interface ContinueToken {
  /** -1 stands for the current revision, even if it is inconsistent with the first page. */
  readonly rv: number;
  readonly start: string;
}

const version = 'meta.k8s.io/v1';

/** Encodes the token for the entries after `lastKey`. */
export function encodeToken(lastKey: string, rv: number): string {
  return Buffer.from(JSON.stringify({ v: version, rv, start: `${lastKey}\u0000` })).toString(
    'base64url',
  );
}

export function encodeStart({ start, rv }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: version, rv, start })).toString('base64url');
}

/**
 * Decodes a token; throws a 400 in the words of Go.
 *
 * Source: DecodeContinue of k8s.io/apiserver 0.36.
 */
export function decodeToken(text: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = parse(text);
  if (typeof v !== 'string') throw wrongField(v, 'v of type string');
  if (!Number.isSafeInteger(rv)) throw wrongField(rv, 'rv of type int64');
  if (typeof start !== 'string') throw wrongField(start, 'start of type string');
  if (v !== version) throw wrong(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw wrong(`: incorrect encoded start resourceVersion (version ${version})`);
  if (start === '') throw wrong(`: encoded start key empty (version ${version})`);
  const rooted = start.startsWith('/') ? start : `/${start}`;
  if (posix.normalize(rooted) !== rooted) throw wrong(`: ${start}`);
  return { rv: Number(rv), start };
}

function wrong(why: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}

function wrongField(value: unknown, field: string): ApiError {
  return wrong(`: ${typeProblem(value, `struct field continueToken.${field}`)}`);
}

function parse(text: string): JsonObject {
  const wrongByte = text.search(/[^A-Za-z0-9_-]/);
  const incompleteAt = text.length % 4 === 1 ? text.length - 1 : -1;
  const at = wrongByte >= 0 ? wrongByte : incompleteAt;
  if (at >= 0) throw wrong(`: illegal base64 data at input byte ${at}`);
  const json = Buffer.from(text, 'base64url').toString();
  const problem = syntaxProblem(json);
  if (problem !== undefined) throw wrong(`: ${problem}`);
  const value: unknown = JSON.parse(json) ?? {};
  if (!isObject(value))
    throw wrong(`: ${typeProblem(value, 'value of type storage.continueToken')}`);
  return value;
}
