/** An action cannot be carried out as it was asked for; says why, and the remedy. */
export class RefusedActionError extends Error {
  override readonly name = 'RefusedActionError';
}
