import type { ApiResponse, Call, Connection } from '../../shared/cluster/http/connection.ts';
import { isFields } from '../../shared/json.ts';

/**
 * Wraps a connection so that the server checks its writes without storing them (`dryRun=All`).
 *
 * Guarantees: of several writes to one path, sends only the first, because later writes depend on its result, which is
 * not stored. Later writes get the first response. Sends every POST, because each POST creates another object.
 */
export function dryRunOver({ send, close }: Connection): Connection {
  const responses = new Map<string, ApiResponse>();
  return {
    close,
    async send(call, signal) {
      if (call.method === 'GET') return send(call, signal);
      const [path = ''] = call.path.split('?');
      const known = call.method === 'POST' ? undefined : responses.get(path);
      if (known !== undefined) return known;
      const response = withVersion(await send({ ...call, ...checkedOnly(call) }, signal));
      responses.set(path, response);
      return response;
    },
  };
}

/**
 * Adds `dryRun=All` to the query. In a deletion with a body, adds it to the body instead: the API server would ignore
 * the query and delete the object.
 */
function checkedOnly({ method, path, body }: Call): Pick<Call, 'path' | 'body'> {
  if (method === 'DELETE' && body !== undefined)
    return { path, body: { ...(body as object), dryRun: ['All'] } };
  return { path: `${path}${path.includes('?') ? '&' : '?'}dryRun=All`, body };
}

/** Adds a resourceVersion if there is none, as in the response to the dry run of a create. */
function withVersion({ value, bytes }: ApiResponse): ApiResponse {
  if (!isFields(value) || !isFields(value.metadata)) return { value, bytes };
  const metadata = { resourceVersion: '0', ...value.metadata };
  return { value: { ...value, metadata }, bytes };
}
