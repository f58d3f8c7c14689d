/** An error that the user can correct, shown without a stack trace. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
