/** What Go says of a value of JSON that does not fit the type it is read into. */
export const typeProblem = (value: unknown, into: string): string => {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go ${into}`;
};
