import { createReconciler, reconcileScopes } from '../../shared/controller/reconciler.ts';
import { createLog } from '../../shared/log.ts';
import type { Report } from '../../shared/reconcile/report.ts';
import { website } from '../../systems/website.ts';
import { parseConfig } from '../support/config.ts';
import { site } from './site.ts';

/** What one resync cost its client, in a process of its own. */
export interface Cost {
  readonly report: Report;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMiB: number;
}

const config = {
  ...parseConfig(process.env),
  kinds: process.argv[2] === site.kind ? [site] : [website],
};
// As on Google Cloud, without a kubeconfig: loading client-node for one takes 0.4 s and 85 MB more.
const {
  server = '',
  ca,
  token,
} = JSON.parse(process.argv[3] ?? '{}') as {
  readonly server?: string;
  readonly ca?: string;
  readonly token?: string;
};
const credentials = async () => ({
  server,
  tls: ca === undefined ? {} : { ca },
  authorization: async () => (token === undefined ? undefined : `Bearer ${token}`),
});
const silent = createLog(() => {}, 'ERROR');
const reconciler = createReconciler(
  { ...config, cluster: { name: 'bench', context: 'bench' } },
  silent,
  {
    credentials,
  },
);
const run = await reconciler.begin('tick');
const before = process.cpuUsage();
const began = performance.now();
const report = await reconcileScopes(reconciler, run, { scopes: [{}] });
const { user, system } = process.cpuUsage(before);
const cost: Cost = {
  report,
  cpuSeconds: (user + system) / 1e6,
  wallSeconds: (performance.now() - began) / 1000,
  peakMiB: process.resourceUsage().maxRSS / 1024,
};
process.send?.(cost);
process.disconnect?.();
process.exit();
