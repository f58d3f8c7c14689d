import { dirname } from 'node:path';
import { commandName } from '../package-root.ts';
import type { Started } from './parts.ts';
import { enterPressed, printPlanOfReload } from './reload/confirm-plan.ts';
import {
  environmentOf,
  type Loaded,
  type LoadedProject,
  type ProjectChanges,
  shortName,
} from './reload/project.ts';
import { reloadOnChange } from './reload/reload.ts';

export function watchProject(
  first: { readonly project: LoadedProject; readonly loaded: Loaded },
  load: () => Promise<Loaded>,
  started: Started,
): void {
  const { host, file, env, embedded, dashboard, functions, relay, clock, options } = started;
  const say = (text: string): void => host.say('kinds', text);
  const watcher = reloadOnChange({
    first,
    directory: dirname(file),
    say,
    load,
    loadFunctions: (project) => functions.load(environmentOf(project, env)),
    async install({ manifests }) {
      if (embedded !== undefined) await embedded.apply(manifests);
      else if (manifests.length > 0)
        say(
          `${manifests.map(shortName).join(', ')}: not applied, because with --context only the functions are replaced; to apply them, see ${commandName} generate kustomization --help`,
        );
    },
    async adopt(project) {
      embedded?.adopt(project);
      void dashboard?.restart(environmentOf(project, env));
      relay?.select(project.audited);
      await clock.resyncNow();
    },
    approve: async (project, changes, newer) =>
      !options.pause || (await approve(started, { project, changes, newer })),
    onFatal: ({ message }) => host.fail(message),
  });
  host.onStop(async () => watcher.stop());
  const count = Object.keys(first.loaded.files).length;
  say(`${count} files are watched; changing one reloads the kinds`);
}

/** Returns false if a file changes again before Enter is pressed. */
async function approve(
  { options, file, kubeconfig, env, embedded, host }: Started,
  {
    project,
    changes,
    newer,
  }: {
    readonly project: LoadedProject;
    readonly changes: ProjectChanges;
    readonly newer: AbortSignal;
  },
): Promise<boolean> {
  const say = (text: string): void => host.say('kinds', text);
  say(changes.text);
  if (embedded !== undefined && changes.manifests.length > 0)
    say(`to be applied first: ${changes.manifests.map(shortName).join(', ')}`);
  // Omits new kinds from the plan, because the embedded cluster does not serve them yet.
  const served = project.audited.kinds
    .map(({ kind }) => kind)
    .filter((kind) => embedded === undefined || changes.kept.includes(kind));
  const [, main = ''] = process.argv;
  if (served.length > 0)
    await printPlanOfReload({
      main,
      config: file,
      context: options.context ?? 'local',
      kubeconfig: embedded === undefined ? undefined : kubeconfig,
      env: { ...environmentOf(project, env), KINDS: served.join(',') },
    });
  if (newer.aborted) return false;
  say('press Enter to apply this plan; a further change replaces it');
  return enterPressed(process.stdin, newer);
}
