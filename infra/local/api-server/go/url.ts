/** Limit of parameters: a longer query is ignored as a whole. */
const mostParameters = 10_000;

/**
 * Reads the query of a URL like Go. Drops a parameter with a semicolon or an invalid percent escape; keeps
 * the rest. Bytes that are not UTF-8 become U+FFFD.
 *
 * Source: URL.Query of Go 1.26.
 */
export function parseQuery(query: string): URLSearchParams {
  const parsed = new URLSearchParams();
  const parameters = query.split('&');
  if (parameters.length > mostParameters) return parsed;
  for (const parameter of parameters) {
    if (parameter === '' || isMalformed(parameter)) continue;
    const [name = '', ...value] = parameter.split('=');
    parsed.append(unescaped(name), unescaped(value.join('=')));
  }
  return parsed;
}

function isMalformed(parameter: string): boolean {
  return parameter.includes(';') || hasStrayPercent(parameter);
}

/** Reports whether an escaped text has an invalid percent escape. */
export function hasStrayPercent(text: string): boolean {
  return /%(?![0-9a-fA-F]{2})/.test(text);
}

/** Decodes the bytes of an escaped text. */
export function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

function unescaped(text: string): string {
  return percentDecoded(text.replaceAll('+', ' '));
}
