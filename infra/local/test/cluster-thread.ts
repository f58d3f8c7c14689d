import { parentPort } from 'node:worker_threads';
import { startLocalCluster } from '../cluster.ts';

/** Runs a local cluster in a thread of its own; posts its address. */
const { url } = await startLocalCluster();
parentPort?.postMessage(url);
