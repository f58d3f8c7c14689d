import { once } from 'node:events';
import type { Command } from 'commander';
import { startDashboard } from '../../dashboard/dashboard-server.ts';
import { openOperations } from '../../dashboard/open-operations.ts';
import { runsOfParent } from '../../dashboard/parent-runs.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { type Cli, example, withCluster } from '../base/cli.ts';
import { CommandError, exitCodes } from '../base/command-errors.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { printLines } from '../output/print.ts';

interface DashboardOptions extends KubeOptions {
  readonly port: number;
  readonly readOnly?: true;
}

export function addDashboard(program: Command, { onCluster, terminal }: Cli): void {
  withCluster(program.command('dashboard'))
    .summary('serve a page with all resources, their state, plans and runs')
    .description(
      "Serves a page on this machine until interrupted. The page shows resources and children with their state, differences, Events and runs, and has buttons to plan, apply, resync, suspend and resume. Any program on this machine can open the page and act with the permissions of the context's user. Deploys nothing, and reads nothing while no page is open.",
    )
    .option('--port <port>', 'port on 127.0.0.1', wholeNumber(0, 65_535), 8090)
    .option('--read-only', 'refuse every action that writes')
    .addHelpText('after', example('dashboard --context prod --read-only'))
    .action((options: DashboardOptions) =>
      onCluster(options, async (session) => {
        const reported = runsOfParent();
        const operations = openOperations(session, {
          readOnly: options.readOnly === true,
          reported: reported?.timeline,
        });
        const dashboard = await startDashboard({ port: options.port, operations }).catch(
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'EADDRINUSE') throw error;
            throw new CommandError(
              `port ${options.port} is in use, perhaps by the dashboard of npm start: choose another with --port`,
            );
          },
        );
        reported?.onRun(() => void dashboard.runsChanged());
        printLines(
          terminal.out,
          reported === undefined
            ? [
                `${operations.about.cluster}${options.readOnly ? ', read-only' : ''}`,
                `dashboard ${dashboard.url}, until Ctrl+C`,
              ]
            : [dashboard.url],
        );
        await interrupted();
        await dashboard.stop();
        return exitCodes.done;
      }),
    );
}

async function interrupted(): Promise<void> {
  const ends = ['SIGINT', 'SIGTERM', 'disconnect'].map((name) => once(process, name));
  await Promise.race(ends);
}
