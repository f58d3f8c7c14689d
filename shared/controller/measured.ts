import type { Run } from '../run/run.ts';
import type { MeasuredRun } from '../run/telemetry.ts';

/** Traces and measures `act`, which performs a run on the cluster. The run counts as failed if `act` rejects. */
export function measured<R extends MeasuredRun>(
  cluster: string,
  run: Run,
  act: () => Promise<R>,
): Promise<R> {
  const { telemetry } = run.clients;
  const { trigger, auditIds } = run.policy;
  const about = { trigger, cluster, eventAgeMs: eventAgeOf(run), auditIds };
  return telemetry?.run(about, act) ?? act();
}

/** Returns the age of a run's oldest event in ms; at least 0, although this clock may be behind the API server's. */
export const eventAgeOf = ({ clients, policy: { since } }: Run): number | undefined =>
  since && Math.max(0, clients.now().getTime() - since);
