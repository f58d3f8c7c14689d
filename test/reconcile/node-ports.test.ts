import { describe, expect, it } from 'vitest';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import { clusterOf, serviceOf } from './services.ts';

describe('the node ports of a cluster', () => {
  it('are read in one list, with the Service that holds each', async () => {
    const { cluster, lists } = clusterOf([
      serviceOf('internal', {}),
      serviceOf('headless', { ports: [{ port: 80 }], healthCheckNodePort: 0 }),
      serviceOf('two', { ports: [{ nodePort: 30_001 }, { nodePort: 30_002 }] }),
      serviceOf('local', { ports: [{ nodePort: 30_003 }], healthCheckNodePort: 30_004 }),
    ]);
    const nodePorts = nodePortsOf(cluster);
    const [holders, again] = await Promise.all([nodePorts(), nodePorts()]);
    expect([...holders]).toEqual([
      [30_001, 'Service team/two'],
      [30_002, 'Service team/two'],
      [30_003, 'Service team/local'],
      [30_004, 'Service team/local'],
    ]);
    expect(await nodePorts()).toBe(again);
    expect(lists()).toBe(1);
  });
});
