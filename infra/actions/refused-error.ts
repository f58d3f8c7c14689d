/** An action cannot be carried out as it was asked for; says why, and the remedy. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
