import { Body } from '../body.ts';
import { OversizedError } from './errors.ts';

/** More than any token or error needs. */
const most = 256 * 1024;

/** The text of a small answer. Throws an OversizedError for a larger one; the request's signal limits the time. */
export async function boundedText(response: Response): Promise<string> {
  const received = new Body();
  for await (const chunk of response.body ?? []) {
    received.add(Buffer.from(chunk));
    if (received.bytes > most) throw new OversizedError(`the answer has more than ${most} bytes`);
  }
  return received.take().toString();
}
