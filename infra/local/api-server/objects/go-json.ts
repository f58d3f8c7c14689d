/** What Go's encoding/json says of text that is no JSON; undefined where it is. */
export const syntaxProblem = (text: string): string | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const begun = text.trimStart();
    const literal = ['null', 'true', 'false'].find((one) => one[0] === begun[0]);
    if (literal !== undefined) return literalProblem(begun, literal);
    const token = /^Unexpected token '(.+)'/u.exec((error as Error).message)?.[1];
    return token === undefined
      ? 'unexpected end of JSON input'
      : `invalid character '${token}' looking for beginning of value`;
  }
};

/** What it says of a value that does not fit the type it is read into. */
export const typeProblem = (value: unknown, into: string): string => {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go ${into}`;
};

const literalProblem = (text: string, literal: string): string => {
  const at = [...literal].findIndex((letter, index) => text[index] !== letter);
  const found = text[at];
  return found === undefined
    ? 'unexpected end of JSON input'
    : `invalid character '${found}' in literal ${literal} (expecting '${literal[at]}')`;
};
