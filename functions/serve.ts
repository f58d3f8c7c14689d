import { http, type Request } from '@google-cloud/functions-framework';
import type { ReconcilerConfig } from '../shared/config/define-config.ts';
import { deliverToClusters, resyncClusters } from '../shared/controller/clusters.ts';
import { leaveBodiesUnread } from './bodies.ts';
import { contextFromEnvironment, type FunctionContext } from './function-context.ts';
import { bodyOf, jsonBodyOf } from './response.ts';

/** Serves the function `resync`, which the scheduler calls. */
export const serveResync = (reconciler: ReconcilerConfig): void =>
  serveWith(reconciler, registerResync);

/** Serves the function `audit`, which receives audit log entries. */
export const serveAudit = (reconciler: ReconcilerConfig): void =>
  serveWith(reconciler, registerAudit);

/**
 * Registers both functions with the functions framework, which serves the function named by `--target` or
 * FUNCTION_TARGET. Reads the configuration from the environment. If the configuration is invalid, logs the error and
 * exits with 1.
 */
export const serve = (reconciler: ReconcilerConfig): void =>
  serveWith(reconciler, registerResync, registerAudit);

function serveWith(
  reconciler: ReconcilerConfig,
  ...registrations: readonly ((context: FunctionContext) => void)[]
): void {
  const context = contextFromEnvironment(reconciler);
  leaveBodiesUnread();
  for (const register of registrations) register(context);
}

const registerResync = ({ respond, clusters, inRequest }: FunctionContext): void =>
  http('resync', (request, response) =>
    inRequest(request.headers, () =>
      respond(response, async () => resyncClusters(clusters, jsonBodyOf(request))),
    ),
  );

const registerAudit = ({ respond, clusters, inRequest, platform }: FunctionContext): void =>
  http('audit', (request, response) =>
    inRequest(request.headers, () =>
      respond(response, async () => {
        const { cluster } = request.query;
        const result = deliverToClusters(clusters, bodyOf(request), {
          headers: request.headers,
          format: platform.auditFormat,
          cluster: typeof cluster === 'string' ? cluster : undefined,
        });
        return { ...firehoseResponse(request), ...(await result) };
      }),
    ),
  );

/** Returns the request id and a timestamp. Without them, Firehose delivers the request again. */
function firehoseResponse(request: Request): object {
  const requestId = request.get('x-amz-firehose-request-id');
  return requestId === undefined ? {} : { requestId, timestamp: Date.now() };
}
