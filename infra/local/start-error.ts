/** Something a person can put right before starting again; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
