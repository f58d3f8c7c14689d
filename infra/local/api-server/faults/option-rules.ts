/** An invalid option or fault; names the field, the value and what is valid. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

export type Rule = readonly [wanted: string, isRight: (value: unknown) => boolean];

/** Throws for the first field that is invalid, missing or unknown. */
export function assertFields(
  what: string,
  given: unknown,
  rules: Readonly<Record<string, Rule>>,
): void {
  if (typeof given !== 'object' || given === null) {
    throw new OptionError(`${what}: ${shown(given)} is not an object`);
  }
  for (const field of Object.keys(given)) {
    if (Object.hasOwn(rules, field)) continue;
    throw new OptionError(
      `${what}: unknown field ${field}; known fields: ${Object.keys(rules).join(', ')}`,
    );
  }
  for (const [field, [wanted, isRight]] of Object.entries(rules)) {
    const value = (given as Record<string, unknown>)[field];
    if (isRight(value)) continue;
    throw new OptionError(`${what}.${field}: ${shown(value)} is invalid; it must be ${wanted}`);
  }
}

function shown(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
}

export function optional([wanted, isRight]: Rule): Rule {
  return [`${wanted}, or omitted`, (value) => value === undefined || isRight(value)];
}

export const aText: Rule = ['a string', (value) => typeof value === 'string'];
export const aFunction: Rule = ['a function', (value) => typeof value === 'function'];

export function oneOf(...values: readonly (string | number)[]): Rule {
  return [`one of ${values.join(', ')}`, (value) => values.some((one) => one === value)];
}

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Rule {
  return [
    most === Number.MAX_SAFE_INTEGER
      ? `an integer of at least ${least}`
      : `an integer between ${least} and ${most}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  ];
}
