import type { Cluster } from '../../shared/cluster/cluster.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { createLog } from '../../shared/log.ts';
import { type Preview, previewRun } from '../../shared/preview/preview.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import { previewOptions } from '../reconcile/recorded-preview.ts';

/** Plans the next run on the cluster of an earlier one. */
export async function planOn(
  cluster: Cluster,
  kinds: readonly Kind[],
  onLog: (line: string) => void = () => undefined,
): Promise<Preview> {
  const run = {
    cluster,
    clients: {
      identity: defaultIdentity,
      log: createLog(onLog, 'DEBUG'),
      now: () => new Date(),
    },
    limits: { deadline: Date.now() + 60_000, memory: openMemory()('local') },
    policy: { trigger: 'resync' as const, seed: 1 },
    nodePorts: nodePortsOf(cluster),
  };
  const area = { kinds, namespaces: undefined };
  return (await previewRun(run, [{}], { ...previewOptions, area })).preview;
}
