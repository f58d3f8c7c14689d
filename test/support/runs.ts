import { parseConfig } from '../../shared/config/config.ts';
import { createLog } from '../../shared/log.ts';
import { openRuns, type Runs } from '../../shared/runs.ts';

/** Runs against a server without TLS, and what they log. */
export function runsAgainst(
  server: string,
  env: Readonly<Record<string, string>> = {},
): { readonly runs: Runs; readonly logged: readonly Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = [];
  const log = createLog((line) => logged.push(JSON.parse(line)), 'DEBUG');
  const parsed = parseConfig({ CLUSTER_CONTEXT: 'test', SETTLE_SECONDS: '0', ...env });
  const config = { ...parsed, cluster: { name: 'test', context: 'test' } };
  const credentials = { server, tls: {}, authorization: async () => undefined };
  return {
    runs: openRuns(config, log, { credentials: async () => credentials, backoffMs: 2 }),
    logged,
  };
}
