import type { Command } from 'commander';
import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { releaseOf } from '../../../shared/finalization.ts';
import { hasName } from '../../../shared/kinds/kind.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import type { ObservedResource } from '../../../shared/plan/observed/observed-resource.ts';
import { listResources } from '../../../shared/reading/read.ts';
import { areaOf } from '../../../shared/run/area.ts';
import { counted } from '../../actions/wording.ts';
import { type Cli, example } from '../base/cli.ts';
import { CommandError, exitCodes, UsageError } from '../base/command-errors.ts';
import { probeFor } from '../base/probe.ts';
import {
  namedBy,
  requestFrom,
  requireFound,
  withResource,
  type YesOptions,
} from '../base/request-options.ts';
import { describeCluster, type Session } from '../base/session.ts';
import { confirmed } from '../base/terminal.ts';
import { waitOf } from '../doctor/deletions.ts';
import { removedKinds } from '../doctor/removed-kinds.ts';
import { outputOption, printLines, printOutput } from '../output/print.ts';

export function addRelease(program: Command, { onCluster }: Cli): void {
  withResource(program.command('release'))
    .summary('remove finalizers from resources being deleted, and skip their clean-up')
    .description(
      "Removes this reconciler's finalizer from resources that are being deleted, and skips their clean-up, so everything that the clean-up would have removed stays. Shows what each resource waits for, and asks for confirmation. Needs only the permission to patch the resources, neither a running function nor the code of the kind.",
    )
    .option('-y, --yes', 'do not ask before removing finalizers')
    .addOption(outputOption())
    .addHelpText('after', example('release KIND', 'release KIND NAME -n team-a'))
    .action((words: readonly string[], options: YesOptions) =>
      onCluster(options, (session) => release(session, words, options)),
    );
}

/** If the project lacks the named kind, adds to the session the kinds that only the cluster still has. */
async function withRemoved(session: Session, kind: string | undefined): Promise<Session> {
  const { kinds } = session.config;
  if (kind === undefined || kinds.some((one) => hasName(one, kind))) return session;
  const removed = await removedKinds(probeFor(session.credentials), kinds);
  return { ...session, config: { ...session.config, kinds: [...kinds, ...removed] } };
}

async function release(
  given: Session,
  words: readonly string[],
  options: YesOptions,
): Promise<number> {
  const session = await withRemoved(given, namedBy(words, options.kind).kind);
  const { config, terminal } = session;
  const request = requestFrom(session, options, words);
  const area = areaOf(request, config);
  const [kind] = area.kinds;
  if (request.kind === undefined || kind === undefined)
    throw new UsageError('name the resources to release: KIND or KIND NAME');
  const run = await session.begin();
  const found: ObservedResource[] = [];
  await listResources(run, area, kind, (resource) => void found.push(resource));
  await requireFound(session, request, found.length);
  const held = found.filter((one) => one.deleting && one.finalizers !== undefined);
  const titleIn = ({ namespace, name }: ObservedResource): string =>
    titleOf({ kind: kind.kind, namespace, name });
  printLines(
    terminal.err,
    held.map((one) => `${titleIn(one)}: ${waitOf(one, terminal.now())}`),
  );
  if (config.dryRun && held.length > 0)
    throw new CommandError('DRY_RUN is true, so nothing was written: unset it to release');
  const question = `Remove ${counted(held.length, 'finalizer')} without clean-up, on cluster ${describeCluster(session)}?`;
  const asks = held.length > 0 && !options.yes;
  if (asks && !(await confirmed(terminal, 'release', question)))
    throw new CommandError('not released, nothing was written');
  const failures: string[] = [];
  for (const one of held)
    await run.cluster
      .patch(kind, one, {
        manager: 'reconciler-release',
        resourceVersion: one.resourceVersion,
        operations: releaseOf(one),
      })
      .catch((error: unknown) => failures.push(`${titleIn(one)}: ${messageOf(error)}`));
  printLines(terminal.err, failures);
  printOutput(terminal, options.output, {
    data: { released: held.length - failures.length, failures },
    text: () => [
      held.length === 0
        ? 'no resource that is being deleted has a finalizer of this reconciler'
        : `${held.length - failures.length} of ${counted(held.length, 'finalizer')} removed`,
    ],
  });
  return failures.length === 0 ? exitCodes.done : exitCodes.failed;
}
