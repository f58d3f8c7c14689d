import { http } from '@google-cloud/functions-framework';
import { deliverToClusters, tickClusters } from '../shared/controller/clusters.ts';
import { answer, bodyOf } from './answer.ts';
import type { FunctionContext } from './environment.ts';

/** Registers the resync function under the name that the framework's `--target` selects. */
export const registerResync = ({ log, clusters, withLogFields, project }: FunctionContext): void =>
  http('resync', (request, response) =>
    withLogFields(traceFields(request.headers, project), () =>
      answer(log, response, async () => tickClusters(clusters, bodyOf(request))),
    ),
  );

/** Registers the audit function. */
export const registerAudit = ({ log, clusters, withLogFields, project }: FunctionContext): void =>
  http('audit', (request, response) =>
    withLogFields(traceFields(request.headers, project), () =>
      answer(log, response, async () => {
        const { cluster } = request.query;
        return deliverToClusters(clusters, bodyOf(request), {
          headers: request.headers,
          cluster: typeof cluster === 'string' ? cluster : undefined,
        });
      }),
    ),
  );

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The log field by which Cloud Logging assigns a line to its request; none without a project or a trace.
 *
 * Source: `traceparent` of W3C Trace Context, or `X-Cloud-Trace-Context: TRACE/SPAN;o=1`.
 */
export function traceFields(
  headers: Headers,
  project: string | undefined,
): Readonly<Record<string, string>> {
  const [, w3c] = /^00-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(textOf(headers.traceparent)) ?? [];
  const [, cloud] =
    /^([0-9a-f]{32})(?:[/;]|$)/.exec(textOf(headers['x-cloud-trace-context'])) ?? [];
  const trace = w3c ?? cloud;
  return project === undefined || trace === undefined
    ? {}
    : { 'logging.googleapis.com/trace': `projects/${project}/traces/${trace}` };
}

const textOf = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : '';
