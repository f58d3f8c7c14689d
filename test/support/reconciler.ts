import type { LogLine } from '../../infra/log-line.ts';
import { readDelivery } from '../../shared/audit/delivery.ts';
import { type AuditResult, deliver, selectionFor } from '../../shared/controller/deliver.ts';
import {
  createReconciler,
  type Reconciler,
  type ReconcilerOptions,
} from '../../shared/controller/reconciler.ts';
import { auditFormat as format } from '../../shared/google/log-entry.ts';
import { parseConfig } from './config.ts';
import { logInto } from './log.ts';

/** Opens a reconciler against a server, and collects its log lines. */
export function reconcilerAgainst(
  server: string,
  env: Readonly<Record<string, string>> = {},
  options: Pick<ReconcilerOptions, 'memory' | 'telemetry'> = {},
): { readonly reconciler: Reconciler; readonly logged: readonly Record<string, unknown>[] } {
  const logged: LogLine[] = [];
  const log = logInto(logged, 'DEBUG');
  const parsed = parseConfig({ CLUSTER_CONTEXT: 'test', SETTLE_SECONDS: '0', ...env });
  const config = { ...parsed, cluster: { name: 'test', context: 'test' } };
  const credentials = { server, access: async () => ({ tls: {}, authorization: undefined }) };
  return {
    reconciler: createReconciler(config, log, {
      credentials: async () => credentials,
      backoffMs: 2,
      ...options,
    }),
    logged,
  };
}

/** Delivers a body to one cluster. */
export const deliverBody = (reconciler: Reconciler, body: unknown): Promise<AuditResult> =>
  deliver(reconciler, selectionFor(reconciler, readDelivery(body, { format })));
