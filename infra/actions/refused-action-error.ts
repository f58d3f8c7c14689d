/** Says why an action is refused, and the remedy. */
export class RefusedActionError extends Error {
  override readonly name = 'RefusedActionError';
}
