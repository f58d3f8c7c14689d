import { startLocalCluster } from './cluster.ts';

/** The local cluster in a process of its own, so that its cost is not the client's. */
const { url } = await startLocalCluster({ controllers: 'paused' });
process.send?.(url);
process.on('disconnect', () => process.exit());
