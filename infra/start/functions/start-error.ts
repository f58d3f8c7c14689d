/** An error that the user can correct, shown without a stack. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
