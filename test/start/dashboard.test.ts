import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { RunView } from '../../infra/dashboard/views.ts';
import { startDashboardProcess } from '../../infra/start/dashboard.ts';
import { freePort } from '../support/processes.ts';

const run = (at: number): RunView => ({ at, trigger: 'resync', durationMs: 5, changes: [] });
const environment = (kinds: string) => ({ PATH: process.env.PATH, KINDS: kinds });

/** Opens the dashboard with a stand-in process that prints the messages it receives. */
async function openDashboard() {
  const port = await freePort();
  const lines: string[] = [];
  const exited: string[] = [];
  const dashboard = startDashboardProcess({
    main: join(import.meta.dirname, 'listening-process.ts'),
    port,
    config: 'none',
    kubeconfig: 'none',
    env: environment('first'),
    onLine: (line) => lines.push(line),
    onExit: () => exited.push('exited'),
  });
  onTestFinished(dashboard.stop);
  return { dashboard, lines, exited, url: `http://127.0.0.1:${port}/` };
}

it('the dashboard is one process after two restarts at once, with the last environment and every run', async () => {
  const { dashboard, lines, exited, url } = await openDashboard();
  dashboard.report(run(1));
  void dashboard.restart(environment('second'));
  await dashboard.restart(environment('third'));
  dashboard.report(run(2));
  const want = [[run(1)], [run(2)]].map((runs) => JSON.stringify({ kinds: 'third', runs }));
  await vi.waitFor(() => expect(lines.slice(-2)).toEqual(want), 10_000);
  expect(exited).toEqual([]);
  await dashboard.stop();
  await expect(fetch(url)).rejects.toThrow();
});

it('the dashboard stays stopped if it is stopped during a restart', async () => {
  const { dashboard, lines, exited, url } = await openDashboard();
  dashboard.resyncDue(9_000);
  await vi.waitFor(() => expect(lines).toHaveLength(1), 10_000);
  const restarted = dashboard.restart(environment('second'));
  await dashboard.stop();
  await restarted;
  await expect(fetch(url)).rejects.toThrow();
  expect({ lines: lines.length, exited }).toEqual({ lines: 1, exited: [] });
});
