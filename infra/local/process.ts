import { startLocalCluster } from './cluster.ts';

/**
 * Runs the local cluster in a process of its own, so that its cost is measured separately from the client's;
 * `paused` pauses its controllers.
 */
const controllers = process.argv[2] === 'paused' ? 'paused' : 'running';
const { url } = await startLocalCluster({ controllers });
process.send?.(url);
process.on('disconnect', () => process.exit());
