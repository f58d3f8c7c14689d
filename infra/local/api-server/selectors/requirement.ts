import { badRequest } from '../errors/errors.ts';

/** One condition of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'exists' | '!' | '=' | '==' | '!=' | 'in' | 'notin' | '<' | '>';
  readonly values: readonly string[];
}

const TOKENS = /\s*(==|!=|[=!<>,()]|[^\s=!<>,()]+)/gy;
const SYMBOLS = ['==', '!=', '=', '!', '<', '>', ',', '(', ')'];
const OPERATORS = ['in', 'notin', '=', '==', '!=', '<', '>'] as const;

interface Tokens {
  readonly peek: () => string;
  readonly next: () => string;
}

const tokensOf = (text: string): Tokens => {
  const all = [...text.matchAll(TOKENS)].map(([, token = '']) => token);
  let position = 0;
  return {
    peek: () => all[position] ?? '',
    next: () => all[position++] ?? '',
  };
};

const isWord = (token: string): boolean => token !== '' && !SYMBOLS.includes(token);

/** Reads a selector as the server's parser does, and complains in its words. */
export const readRequirements = (text: string): Requirement[] => {
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
};

const readRequirement = (tokens: Tokens): Requirement => {
  if (tokens.peek() === '!') {
    tokens.next();
    return { key: tokens.next(), operator: '!', values: [] };
  }
  const key = tokens.next();
  if (tokens.peek() === '' || tokens.peek() === ',') return { key, operator: 'exists', values: [] };
  const given = tokens.next();
  const operator = OPERATORS.find((one) => one === given);
  if (operator === undefined) {
    throw badRequest(
      `unable to parse requirement: found '${given}', expected: in, notin, =, ==, !=, gt, lt`,
    );
  }
  if (operator === 'in' || operator === 'notin') {
    return { key, operator, values: readValues(tokens) };
  }
  const value = isWord(tokens.peek()) ? tokens.next() : '';
  return { key, operator, values: [value] };
};

const readValues = (tokens: Tokens): string[] => {
  const open = tokens.next();
  if (open !== '(') throw badRequest(`unable to parse requirement: found '${open}' expected: '('`);
  const values: string[] = [];
  for (;;) {
    values.push(isWord(tokens.peek()) ? tokens.next() : '');
    const end = tokens.next();
    if (end === ')') return values;
    if (end !== ',') {
      throw badRequest(`unable to parse requirement: found '${end}', expected: ',' or ')'`);
    }
  }
};
