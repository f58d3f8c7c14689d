import { QuantityError } from '../schema/quantity-form.ts';

/** An object that cannot even be read as its kind; the message is the end of the server's answer. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

export const isDecodeError = (error: unknown): error is Error =>
  error instanceof DecodeError || error instanceof QuantityError;
