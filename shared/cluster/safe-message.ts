/**
 * Why reading a kubeconfig, or client-node, failed, without quoting anything: a YAML parser's message
 * includes the lines around the mistake, which may contain a token.
 */
export function safeMessageOf(error: unknown): string {
  const { name, message, reason, mark, code, syscall, cause } = error as Failure;
  if (name === 'YAMLException') {
    const where = mark === undefined ? '' : ` (line ${mark.line + 1}, column ${mark.column + 1})`;
    return `${withoutQuotes(reason ?? 'it is not valid YAML')}${where}`;
  }
  // The operating system's own errors name a path or an address.
  if (typeof code === 'string' && syscall !== undefined) return message;
  if (incomplete.test(message)) return message;
  if (cause !== undefined && cause !== null) return safeMessageOf(cause);
  return typeof code === 'string' ? `${name} ${code}` : 'it is not a kubeconfig';
}

interface Failure {
  readonly name: string;
  readonly message: string;
  readonly reason?: string;
  /** Both start at 0. */
  readonly mark?: { readonly line: number; readonly column: number };
  readonly code?: unknown;
  readonly syscall?: string;
  readonly cause?: unknown;
}

/** client-node's own messages about an entry. */
const incomplete =
  /^((users|clusters|contexts)\[\d+\]\.[a-z.]+ is missing|Duplicate (user|cluster|context): .*|Unsupported proxy type)$/;

/** The parser quotes its input after a quotation mark, a colon or a tag. */
const withoutQuotes = (reason: string): string => reason.replace(/\s*["'`:!<].*$/s, '');
