/** An action is refused. The message names the reason, often with a remedy. */
export class RefusedActionError extends Error {
  override readonly name = 'RefusedActionError';
}
