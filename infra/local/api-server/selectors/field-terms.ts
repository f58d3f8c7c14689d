import { badRequest } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';

/** One condition of a field selector. */
export interface FieldTerm {
  readonly field: string;
  readonly value: string;
  readonly wanted: boolean;
}

/**
 * Parses `a=b,c!=d`; a backslash escapes `,`, `=` and itself.
 *
 * Source: ParseSelector of k8s.io/apimachinery/pkg/fields 0.36.
 */
export function readFieldTerms(text: string): FieldTerm[] {
  return (
    partsOf(text)
      .filter(Boolean)
      .sort()
      .map((part) => readTerm(part, text))
      // Ignores an empty term.
      .filter(({ field, value }) => field !== '' || value !== '')
  );
}

function partsOf(text: string): string[] {
  const parts = [''];
  let isEscaped = false;
  for (const character of text) {
    if (character === ',' && !isEscaped) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
    isEscaped = character === '\\' && !isEscaped;
  }
  return parts;
}

function readTerm(part: string, whole: string): FieldTerm {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
  if (!match) throw badRequest(`invalid selector: '${whole}'; can't understand '${part}'`);
  const [, field = '', operator, value = ''] = match;
  return { field, value: unescaped(value), wanted: operator !== '!=' };
}

function unescaped(value: string): string {
  let text = '';
  const characters = value[Symbol.iterator]();
  for (const character of characters) {
    if (character === ',' || character === '=')
      throw wrong(`unescaped character in value: ${character.codePointAt(0)}`);
    if (character !== '\\') {
      text += character;
      continue;
    }
    const next = characters.next().value ?? '';
    if (!['\\', ',', '='].includes(next)) throw wrong(`invalid escape sequence: \\${next}`);
    text += next;
  }
  return text;
}

function wrong(why: string): ApiError {
  return badRequest(`invalid field selector: ${why}`);
}
