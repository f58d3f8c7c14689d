import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { expect, it, onTestFinished } from 'vitest';
import type { RunView } from '../../infra/dashboard/views.ts';
import { startDashboardProcess } from '../../infra/start/dashboard.ts';
import { follow } from '../dashboard/ground.ts';
import { configFile } from '../support/config.ts';
import { freePort } from '../support/processes.ts';

const main = join(import.meta.dirname, '..', '..', 'infra', 'cli', 'main.ts');
const run = (at: number): RunView => ({ at, trigger: 'resync', durationMs: 5, changes: [] });

it('the dashboard shows every run of npm start and the time of the next resync, even after a restart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'start-'));
  const cluster = await startLocalCluster();
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig());
  const port = await freePort();
  const env = { PATH: process.env.PATH };
  let serving = Promise.withResolvers<string>();
  const exited: string[] = [];
  const dashboard = startDashboardProcess({
    main,
    config: configFile,
    kubeconfig,
    port,
    env,
    onLine: (line) => serving.resolve(line),
    onExit: () => exited.push('exited'),
  });
  onTestFinished(async () => {
    await dashboard.stop();
    await cluster.stop();
    await rm(directory, { recursive: true });
  });
  const timeline = async () => {
    const url = await serving.promise;
    const page = await follow(url);
    const found = await page.until(
      ({ name, data }) =>
        name === 'timeline' && data.nextResync === 9_000 && data.runs.length === 2,
    );
    page.close();
    return found.data;
  };
  const want = { source: 'processes', runs: [run(2), run(1)], nextResync: 9_000 };
  // Report before the dashboard can listen.
  dashboard.report(run(1));
  dashboard.resyncDue(9_000);
  expect(await serving.promise).toBe(`http://127.0.0.1:${port}/`);
  dashboard.report(run(2));
  expect(await timeline()).toEqual(want);
  serving = Promise.withResolvers();
  await dashboard.restart(env);
  expect(await timeline()).toEqual(want);
  await dashboard.stop();
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  expect(exited).toEqual([]);
});
