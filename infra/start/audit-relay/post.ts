interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
  readonly fetch?: typeof fetch;
}

export type PostResult =
  | { readonly code: number; readonly text: string }
  | { readonly code?: never; readonly error: string };

/** Follows no redirects. Never throws. */
export async function post(url: URL, request: Post): Promise<PostResult> {
  const { deadlineSeconds, fetch: send = fetch, ...init } = request;
  const deadline = AbortSignal.timeout(deadlineSeconds * 1000);
  const signal = AbortSignal.any([request.signal, deadline]);
  try {
    const response = await send(url, { ...init, method: 'POST', redirect: 'manual', signal });
    return { code: response.status, text: await response.text() };
  } catch (error) {
    return { error: deadline.aborted ? `no response within ${deadlineSeconds} s` : causeOf(error) };
  }
}

/** Returns the message of the cause, because that of the error itself is only `fetch failed`. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
