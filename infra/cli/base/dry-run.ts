import type { Answer, Call, Connection } from '../../../shared/cluster/http/connection.ts';
import { isFields } from '../../../shared/json.ts';

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
      const [path = ''] = call.path.split('?');
      const known = call.method === 'POST' ? undefined : answers.get(path);
      if (known !== undefined) return known;
      const answer = withVersion(await send({ ...call, ...checkedOnly(call) }, signal));
      answers.set(path, answer);
      return answer;
    },
  };
}

/** The API server ignores the query of a deletion that has a body, and would delete the object. */
function checkedOnly({ method, path, body }: Call): Pick<Call, 'path' | 'body'> {
  if (method === 'DELETE' && body !== undefined)
    return { path, body: { ...(body as object), dryRun: ['All'] } };
  return { path: `${path}${path.includes('?') ? '&' : '?'}dryRun=All`, body };
}

/** An object that was not created has no version. */
function withVersion({ value, bytes }: Answer): Answer {
  if (!isFields(value) || !isFields(value.metadata)) return { value, bytes };
  const metadata = { resourceVersion: '0', ...value.metadata };
  return { value: { ...value, metadata }, bytes };
}
