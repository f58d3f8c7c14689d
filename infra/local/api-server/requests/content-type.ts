/**
 * The media type of a body. A patch's is read as it stands, any other in lower case; one with
 * parameters that cannot be read is left whole, so that it is no known type.
 */
export const contentTypeOf = (method: string, header: string): string => {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (method === 'PATCH') return type;
  return parameters.every(isReadable) ? type.toLowerCase() : header;
};

const isReadable = (parameter: string, index: number, all: readonly string[]): boolean =>
  // One semicolon may stand at the end.
  (parameter === '' && index === all.length - 1) || /^[^\s="]+=("[^"]*"|[^\s="]+)$/.test(parameter);
