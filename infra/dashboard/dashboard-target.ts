import type { Credentials } from '../../shared/cluster/credentials/credentials.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Run } from '../../shared/run/run.ts';

/** The cluster that a dashboard shows, with the permissions of the user who started it. */
export interface DashboardTarget {
  readonly config: Config;
  readonly credentials: Credentials;
  /** Undefined if CLUSTER_ENDPOINT selects the cluster. */
  readonly context: { readonly name: string } | undefined;
  readonly begin: () => Promise<Run>;
}

/** Calls a function with a new run, and frees the run's memory afterwards, because this process is long-lived. */
export async function during<T>(
  { begin }: DashboardTarget,
  act: (run: Run) => Promise<T>,
): Promise<T> {
  const run = await begin();
  using _memory = run.limits.memory;
  return await act(run);
}
