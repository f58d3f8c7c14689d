import { Body } from '../body.ts';
import { OversizedError } from './errors.ts';

/** Larger than any token or error. */
const most = 256 * 1024;

/** The text of a small answer; an OversizedError where it is larger. The request's signal limits its time. */
export async function boundedText(response: Response): Promise<string> {
  const received = new Body();
  for await (const chunk of response.body ?? []) {
    received.add(Buffer.from(chunk));
    if (received.bytes > most) throw new OversizedError(`the answer has more than ${most} bytes`);
  }
  return received.take().toString();
}
