/** An action is refused. The message names the reason and the remedy. */
export class RefusedActionError extends Error {
  override readonly name = 'RefusedActionError';
}
