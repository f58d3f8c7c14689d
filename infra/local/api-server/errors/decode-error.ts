/** An object that cannot be read as its kind; the message is the end of the server's answer. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}
