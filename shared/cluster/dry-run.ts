import { isFields } from '../json.ts';
import type { Answer, Connection } from './connection.ts';

/**
 * The same connection, whose writes are checked by the server and not stored (`dryRun=All`).
 *
 * Guarantees: of several writes to one object only the first is sent, as the next would build on what was
 * not stored; they have its answer.
 */
export function dryRunOver({ send, close }: Connection): Connection {
  const answers = new Map<string, Answer>();
  return {
    close,
    async send(call, signal) {
      if (call.method === 'GET') return send(call, signal);
      const [path = '', query] = call.path.split('?');
      const known = call.method === 'POST' ? undefined : answers.get(path);
      if (known !== undefined) return known;
      const parameters = query === undefined ? 'dryRun=All' : `${query}&dryRun=All`;
      const answer = withVersion(await send({ ...call, path: `${path}?${parameters}` }, signal));
      answers.set(path, answer);
      return answer;
    },
  };
}

/** An object that was not created has no version. */
function withVersion({ value, bytes }: Answer): Answer {
  if (!isFields(value) || !isFields(value.metadata)) return { value, bytes };
  const metadata = { resourceVersion: '0', ...value.metadata };
  return { value: { ...value, metadata }, bytes };
}
