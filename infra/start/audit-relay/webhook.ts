import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { foreignRefusal, guarded } from '@serverless-reconciler/local-cluster/foreign-request';
import { textAt, valueAt } from '../../../shared/json.ts';

/** The maximum size of a batch: ample for the default of 400 Events, which at level Metadata contain no objects. */
const largestBody = 32 * 1024 * 1024;

/** Responds to each batch at once, before its entries are delivered. */
export function createAuditWebhook(accept: (events: readonly unknown[]) => void): Server {
  const serve: RequestListener = (request, response) => {
    const respond = (code: number, text = ''): void => {
      response.writeHead(code, { 'content-type': 'text/plain' }).end(text);
    };
    if (request.method !== 'POST') return respond(405, 'send audit batches by POST');
    readBody(request).then(
      (body) => {
        if (body === undefined) return respond(413, 'batch too large');
        const events = eventsIn(body);
        if (events === undefined) return respond(400, 'not an audit.k8s.io/v1 EventList');
        accept(events);
        respond(200);
      },
      () => response.destroy(),
    );
  };
  return createServer(guarded(foreignRefusal, serve));
}

/** Undefined for a body that is not an EventList. */
function eventsIn(body: Uint8Array): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const items = valueAt(list, 'items');
    if (textAt(list, 'apiVersion') === 'audit.k8s.io/v1' && Array.isArray(items)) return items;
  } catch {
    // Invalid JSON is not an EventList either.
  }
  return undefined;
}

/** Undefined for a body that is too large. Reads it to the end, because only then does the client read the response. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= largestBody) chunks.push(chunk);
  }
  return size > largestBody ? undefined : Buffer.concat(chunks);
}
