/** An object that cannot be decoded as its kind; the message ends the server's answer. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}
