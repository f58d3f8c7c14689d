import { http, type Request } from '@google-cloud/functions-framework';
import type { ReconcilerConfig } from '../shared/config/define-config.ts';
import { deliverToClusters, resyncClusters } from '../shared/controller/clusters.ts';
import { bodyOf, objectOf } from './answer.ts';
import { leaveBodiesUnread } from './bodies.ts';
import { contextFromEnvironment, type FunctionContext } from './function-context.ts';

/** Registers the function `resync`, which the scheduler calls. */
export const serveResync = (reconciler: ReconcilerConfig): void =>
  serveWith(reconciler, registerResync);

/** Registers the function `audit`, which receives audit log entries. */
export const serveAudit = (reconciler: ReconcilerConfig): void =>
  serveWith(reconciler, registerAudit);

/**
 * Registers both functions with the functions framework, which serves the one that its `--target` or
 * FUNCTION_TARGET names. An installation's configuration is read from the environment; if it is invalid,
 * the error is logged and the process exits with 1.
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

/** Registers the resync function under the name that the framework's `--target` selects. */
const registerResync = ({ answer, clusters, inRequest }: FunctionContext): void =>
  http('resync', (request, response) =>
    inRequest(request.headers, () =>
      answer(response, async () => resyncClusters(clusters, objectOf(request))),
    ),
  );

const registerAudit = ({ answer, clusters, inRequest, platform }: FunctionContext): void =>
  http('audit', (request, response) =>
    inRequest(request.headers, () =>
      answer(response, async () => {
        const { cluster } = request.query;
        const result = deliverToClusters(clusters, bodyOf(request), {
          headers: request.headers,
          format: platform.auditFormat,
          cluster: typeof cluster === 'string' ? cluster : undefined,
        });
        return { ...firehoseAnswer(request), ...(await result) };
      }),
    ),
  );

/** Returns what Firehose requires in an answer: it redelivers a request unless its id and a timestamp come back. */
function firehoseAnswer(request: Request): object {
  const requestId = request.get('x-amz-firehose-request-id');
  return requestId === undefined ? {} : { requestId, timestamp: Date.now() };
}
