import { badRequest } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';
import { goQuote } from '../go/print.ts';
import { labelValue, qualifiedName } from '../objects/names.ts';

/** One condition of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'exists' | '!' | '=' | '==' | '!=' | 'in' | 'notin' | '<' | '>';
  readonly values: readonly string[];
}

// A NUL ends a token and is dropped; outside a token it ends the selector.
const tokenPattern = /[ \t\r\n]*(==|!=|[=!<>,()]|[^ \t\r\n=!<>,()\0]+)\0?/gy;
const symbols = ['==', '!=', '=', '!', '<', '>', ',', '(', ')'];
const knownOperators = ['in', 'notin', '=', '==', '!=', '<', '>'] as const;

interface Tokens {
  readonly peek: () => string;
  readonly next: () => string;
}

function tokensOf(text: string): Tokens {
  const all = [...text.matchAll(tokenPattern)].map(([, token = '']) => token);
  let position = 0;
  return {
    peek: () => all[position] ?? '',
    next: () => all[position++] ?? '',
  };
}

function isWord(token: string): boolean {
  return token !== '' && !symbols.includes(token);
}

/** Parses a selector as the server does, with its error messages. */
export function readRequirements(text: string): Requirement[] {
  const tokens = tokensOf(text);
  const requirements: Requirement[] = [];
  for (;;) {
    const token = tokens.peek();
    if (token === '') return requirements;
    if (!isWord(token) && token !== '!') {
      throw badRequest(`found '${token}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(readRequirement(tokens));
    const end = tokens.next();
    if (end === '') return requirements;
    if (end !== ',') throw badRequest(`found '${end}', expected: ',' or 'end of string'`);
    const after = tokens.peek();
    if (!isWord(after) && after !== '!') {
      throw badRequest(`found '${after}', expected: identifier after ','`);
    }
  }
}

function readRequirement(tokens: Tokens): Requirement {
  if (tokens.peek() === '!') {
    tokens.next();
    return { key: readKey(tokens), operator: '!', values: [] };
  }
  const key = readKey(tokens);
  if (tokens.peek() === '' || tokens.peek() === ',') return { key, operator: 'exists', values: [] };
  const given = tokens.next();
  const operator = knownOperators.find((one) => one === given);
  if (operator === undefined) {
    throw badRequest(
      `unable to parse requirement: found '${given}', expected: in, notin, =, ==, !=, gt, lt`,
    );
  }
  const isSet = operator === 'in' || operator === 'notin';
  const values = isSet ? [...new Set(readValues(tokens))].sort() : [readValue(tokens)];
  assertValues({ key, operator, values });
  return { key, operator, values };
}

function wrong(why: string): ApiError {
  return badRequest(`unable to parse requirement: ${why}`);
}

function readKey(tokens: Tokens): string {
  const key = tokens.next();
  if (!isWord(key)) throw wrong(`found '${key}', expected: identifier`);
  const problems = qualifiedName(key);
  if (problems.length === 0) return key;
  throw wrong(`<nil>: Invalid value: ${goQuote(key)}: ${problems.join('; ')}`);
}

function readValue(tokens: Tokens): string {
  if (tokens.peek() === '' || tokens.peek() === ',') return '';
  const value = tokens.next();
  if (!isWord(value)) throw wrong(`found '${value}', expected: identifier`);
  return value;
}

const noInteger = "for 'Gt', 'Lt' operators, the value must be an integer";

function assertValues({ key, operator, values }: Requirement): void {
  const isOrdering = operator === '<' || operator === '>';
  const problems = values.flatMap((value, index) => {
    const given = `Invalid value: ${goQuote(value)}`;
    const why = labelValue(value).join('; ');
    return [
      ...(isOrdering && !isInteger(value) ? [`values[${index}]: ${given}: ${noInteger}`] : []),
      ...(why === '' ? [] : [`values[${index}][${key}]: ${given}: ${why}`]),
    ];
  });
  if (problems.length === 0) return;
  throw wrong(problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`);
}

function isInteger(text: string): boolean {
  if (!/^[+-]?\d+$/.test(text)) return false;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value;
}

function readValues(tokens: Tokens): string[] {
  const open = tokens.next();
  if (open !== '(') throw badRequest(`unable to parse requirement: found '${open}' expected: '('`);
  if (tokens.peek() === '') throw wrong(`found '', expected: ',', ')' or identifier`);
  const values: string[] = [];
  for (;;) {
    values.push(isWord(tokens.peek()) ? tokens.next() : '');
    const end = tokens.next();
    if (end === ')') return values;
    if (end !== ',') {
      throw badRequest(`unable to parse requirement: found '${end}', expected: ',' or ')'`);
    }
  }
}
