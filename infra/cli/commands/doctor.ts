import type { Command } from 'commander';
import pMap from 'p-map';
import { counted } from '../../actions/wording.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { type Cli, example, printCluster, withCluster } from '../base/cli.ts';
import { exitCodes, messageFor, remedyOf, UsageError } from '../base/command-errors.ts';
import { type FieldLossOptions, withFieldLoss } from '../base/field-loss.ts';
import { probeFor } from '../base/probe.ts';
import type { Session } from '../base/session.ts';
import { childTypeChecks, definitionCheck } from '../doctor/definitions.ts';
import { deletionCheck } from '../doctor/deletions.ts';
import {
  type DoctorCheck,
  fail,
  type Installation,
  ok,
  warn,
  whyUnread,
} from '../doctor/doctor-check.ts';
import { permissionChecks } from '../doctor/permissions.ts';
import { remediesFor } from '../doctor/remedies.ts';
import { removedKinds } from '../doctor/removed-kinds.ts';
import { checkServer, checkUser } from '../doctor/server-checks.ts';
import {
  type OutputFormat,
  outputOption,
  paint,
  printOutput,
  type Text,
  table,
} from '../output/print.ts';
import { showSteps } from '../output/progress.ts';

interface DoctorOptions extends KubeOptions, FieldLossOptions {
  readonly as?: string;
  readonly config?: string;
  readonly output: OutputFormat;
}

export function addDoctor(program: Command, { onCluster, terminal }: Cli): void {
  withFieldLoss(withCluster(program.command('doctor')))
    .summary('check everything an installation needs')
    .description(
      "Checks everything an installation needs: the API server and its version, the authenticated user, the functions' permissions, the namespaces, the CRDs, whether new CRDs would drop or refuse values of stored resources, and whether deletions wait for a clean-up. Each check is ok, warn (needs attention, or cannot be determined from here) or fail; the last two usually show a remedy. Reads KINDS, NAMESPACES and OWN_IDENTITY from the environment; if one is not set there, from the context of the kubeconfig. Writes nothing. Exits with 1 if a check fails.",
    )
    .option(
      '--as <user>',
      'user that the functions run as; checks its permissions by SubjectAccessReview or, if that is refused, by impersonation; default: OWN_IDENTITY or, if it is not set, the current user',
    )
    .addOption(outputOption())
    .addHelpText(
      'after',
      example(
        'doctor',
        'doctor --context prod --as serverless-reconciler@my-project.iam.gserviceaccount.com',
        'doctor -o json',
      ),
    )
    .action((options: DoctorOptions) => {
      if (options.as === '') throw new UsageError('--as: the user name is empty');
      return onCluster(options, async (session) => {
        if (options.output === 'text') printCluster(session);
        const { onStep, stop } = showSteps(terminal);
        const installation = installationOf(session, { ...program.opts(), ...options });
        const checks = await runChecks(installation, (name) =>
          onStep(`checking the ${name}`),
        ).finally(stop);
        const isFailed = checks.some(({ state }) => state === 'fail');
        printOutput(terminal, options.output, {
          data: { ok: !isFailed, checks },
          text: () => checkTable(checks),
        });
        return isFailed ? exitCodes.failed : exitCodes.done;
      });
    });
}

function installationOf(session: Session, options: DoctorOptions): Installation {
  const { context, credentials, reconciler, config, terminal } = session;
  const target = { context, server: credentials.server, settings: reconciler.settings };
  return {
    ...config,
    probe: probeFor(credentials),
    now: terminal.now,
    as: options.as,
    allowsLoss: options.allowFieldLoss === true,
    remedies: remediesFor(target, options, terminal),
  };
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function checkTable(checks: readonly DoctorCheck[]): readonly Text[] {
  const rows = checks.map(({ state, name, message, remedy }) => [
    paint(colours[state], state),
    name,
    [message, ...(remedy === undefined ? [] : [`→ ${remedy}`])].join('\n'),
  ]);
  const count = (state: DoctorCheck['state']): number =>
    checks.filter((check) => check.state === state).length;
  return [
    ...table(['STATE', 'CHECK', 'FOUND'], rows),
    '',
    `${count('ok')} ok, ${counted(count('warn'), 'warning')}, ${count('fail')} failed.`,
  ];
}

/** Skips the other checks if the server fails or refuses the credentials. */
async function runChecks(
  installation: Installation,
  onStep: (name: string) => void,
): Promise<readonly DoctorCheck[]> {
  const { probe, kinds, remedies } = installation;
  const guarded = async (name: string, check: () => Promise<readonly DoctorCheck[]>) => {
    onStep(name);
    return check().catch((error: unknown) => {
      const again = `${remedies.doctor()}   # try again: the check did not finish`;
      return [fail(name, messageFor(error), remedyOf(error, remedies.unreachable) ?? again)];
    });
  };
  const server = await guarded('API server', () => checkServer(installation));
  if (server.some(({ state }) => state === 'fail')) return server;
  const { user, check } = await checkUser(installation);
  if (user === undefined) return [...server, check];
  const cleaning = kinds.filter(({ finalize }) => finalize !== undefined);
  return [
    ...server,
    check,
    ...(await guarded('permissions', () => permissionChecks(installation, user))),
    ...(await guarded('namespaces', () => namespaceChecks(installation))),
    ...(await guarded('CRDs', async () => [
      ...(await pMap(kinds, (kind) => definitionCheck(installation, kind), { concurrency: 4 })),
      ...(await childTypeChecks(probe, kinds)),
    ])),
    ...(await guarded('deletions', async () => {
      const all = [...cleaning, ...(await removedKinds(probe, kinds))];
      const checks = await pMap(all, (one) => deletionCheck(installation, one), { concurrency: 4 });
      return checks.flat();
    })),
  ];
}

async function namespaceChecks({
  probe,
  namespaces = [],
  remedies,
}: Installation): Promise<readonly DoctorCheck[]> {
  const found = await pMap(
    namespaces,
    async (namespace) => ({
      namespace,
      ...(await probe({ path: `/api/v1/namespaces/${namespace}` })),
    }),
    { concurrency: 8 },
  );
  const name = 'namespaces';
  const there = found.filter(({ code }) => code === 200).map(({ namespace }) => namespace);
  return [
    ...(there.length === 0 ? [] : [ok(name, `${there.join(', ')}: found`)]),
    ...found
      .filter(({ code }) => code !== 200)
      .map(({ namespace, ...response }) =>
        response.code === 404
          ? fail(
              name,
              `${namespace} is in NAMESPACES but does not exist`,
              remedies.kubectl(`create namespace ${namespace}`),
            )
          : warn(name, `${namespace}: could not be checked: ${whyUnread(response)}`),
      ),
  ];
}
