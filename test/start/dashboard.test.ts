import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { RunView } from '../../infra/dashboard/views.ts';
import { startDashboardProcess } from '../../infra/start/dashboard.ts';
import { freePort } from '../support/processes.ts';

const run = (at: number): RunView => ({ at, trigger: 'resync', durationMs: 5, changes: [] });
const environment = (kinds: string) => ({ PATH: process.env.PATH, KINDS: kinds });

/** The dashboard's process, of which a program that prints what it is sent takes the place. */
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

it('restarted twice at once, is one process in the end, with the last environment and every run', async () => {
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

it('stopped while it restarts, stays stopped', async () => {
  const { dashboard, lines, exited, url } = await openDashboard();
  dashboard.resyncDue(9_000);
  await vi.waitFor(() => expect(lines).toHaveLength(1), 10_000);
  const restarted = dashboard.restart(environment('second'));
  await dashboard.stop();
  await restarted;
  await expect(fetch(url)).rejects.toThrow();
  expect({ lines: lines.length, exited }).toEqual({ lines: 1, exited: [] });
});
