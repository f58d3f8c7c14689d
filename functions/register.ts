import { http } from '@google-cloud/functions-framework';
import { deliverToClusters, tickClusters } from '../shared/controller/clusters.ts';
import { answer, bodyOf } from './answer.ts';
import type { FunctionContext } from './environment.ts';

/** Registers the resync function under the name that the framework's `--target` selects. */
export const registerResync = ({ log, clusters, withLogFields, platform }: FunctionContext): void =>
  http('resync', (request, response) =>
    withLogFields(platform.traceFields(request.headers), () =>
      answer(log, response, async () => tickClusters(clusters, bodyOf(request))),
    ),
  );

/** Registers the audit function. */
export const registerAudit = ({ log, clusters, withLogFields, platform }: FunctionContext): void =>
  http('audit', (request, response) =>
    withLogFields(platform.traceFields(request.headers), () =>
      answer(log, response, async () => {
        const { cluster } = request.query;
        return deliverToClusters(clusters, bodyOf(request), {
          headers: request.headers,
          format: platform.auditFormat,
          cluster: typeof cluster === 'string' ? cluster : undefined,
        });
      }),
    ),
  );
