import { connect } from '../../shared/cluster/http/connection.ts';
import { openCluster } from '../../shared/cluster/http-cluster.ts';
import { defaultIdentity, type Identity } from '../../shared/identity.ts';
import { createLog } from '../../shared/log.ts';
import type { PreviewOptions } from '../../shared/preview/preview.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import type { Run } from '../../shared/run/run.ts';
import { type Engine, kinds } from './engine.ts';
import { type RecordedRequest, recording } from './recorded-requests.ts';

export const previewOptions: PreviewOptions = {
  area: { kinds, namespaces: undefined },
  concurrency: 8,
  pruneLimit: (resources) => Math.max(10, Math.floor(resources / 5)),
};

/** Begins runs that record their requests, on the cluster of an engine. */
export function openRecordedPreview({ cluster }: Engine, identity: Identity = defaultIdentity) {
  const connection = connect({
    server: cluster.url,
    access: async () => ({ tls: {}, authorization: undefined }),
  });
  return {
    close: () => connection.close(),
    begin(sent: RecordedRequest[] = []): Run {
      const deadline = Date.now() + 60_000;
      const port = openCluster(connection, { concurrency: 8, deadline: deadline + 15_000 });
      const clients = {
        identity,
        log: createLog(() => undefined, 'ERROR'),
        now: () => new Date(),
      };
      const recorded = recording(port, sent);
      return {
        cluster: recorded,
        clients,
        limits: { deadline, memory: openMemory()('local') },
        policy: { trigger: 'resync', seed: 1 },
        nodePorts: nodePortsOf(recorded),
      };
    },
  };
}
