import type { Headers } from '../audit/envelope.ts';
import { textAt } from '../json.ts';
import { auditFormat } from './log-entry.ts';
import { fromEndpoint } from './metadata-server.ts';
import { openPublish, openUpload } from './services.ts';
import { parseSettings, type Read } from './settings.ts';

/** Opens Google Cloud as a Platform (`config/platform.ts`), configured by the environment. Throws a ConfigError. */
export function openGoogle(read: Read) {
  const { topic, bucket, project } = parseSettings(read);
  return {
    auditFormat,
    fromEndpoint,
    publish: topic && openPublish(topic),
    bucket: bucket && { name: bucket.name, upload: openUpload(bucket) },
    traceFields: (headers: Headers) => traceFields(headers, project),
  };
}

/**
 * Returns the log field from which Cloud Logging knows a line's request; none without a project or a trace.
 *
 * Source: `traceparent` of W3C Trace Context, or `X-Cloud-Trace-Context: TRACE/SPAN;o=1`.
 */
export function traceFields(
  headers: Headers,
  project: string | undefined,
): Readonly<Record<string, string>> {
  const textOf = (name: string): string => textAt(headers, name) ?? '';
  const [, w3c] = /^00-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(textOf('traceparent')) ?? [];
  const [, cloud] = /^([0-9a-f]{32})(?:[/;]|$)/.exec(textOf('x-cloud-trace-context')) ?? [];
  const trace = w3c ?? cloud;
  if (project === undefined || trace === undefined) return {};
  return { 'logging.googleapis.com/trace': `projects/${project}/traces/${trace}` };
}
