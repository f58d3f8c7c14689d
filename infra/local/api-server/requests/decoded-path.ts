/**
 * The path of a request line, decoded as a whole before anyone splits it: `%2F` is a slash like any
 * other. Undefined where it is malformed. Source: url.ParseRequestURI of Go.
 */
export const decodedPath = (path: string): string | undefined => {
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined;
  return path.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
};
