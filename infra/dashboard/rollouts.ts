import { isConflict } from '../../shared/cluster/errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { qualifiedName } from '../../shared/kubernetes.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import {
  changeOfKind,
  goingFirst,
  pausing,
  type RolloutChange,
  resuming,
  writeChange,
} from '../actions/rollout-change.ts';
import { CommandError } from '../cli/base/errors.ts';
import type { Operator } from '../cli/base/session.ts';
import { RefusedError } from './operations.ts';
import type { Done, ResourceKey, SeenRollout } from './views.ts';

/** Of what the dashboard's buttons write. */
export const manager = 'reconciler-dashboard';

export const pauseRollout = (
  run: Run,
  kind: Kind,
  { config }: Pick<Operator, 'config'>,
): Promise<Done> =>
  refusing(async () => {
    const { change } = await changeOfKind(run, kind, { config, decide: pausing });
    return write(run, change);
  });

/** Nobody agreed to go on without what has failed since. */
export const resumeRollout = (
  run: Run,
  kind: Kind,
  { config, seen }: Pick<Operator, 'config'> & { readonly seen: SeenRollout },
): Promise<Done> =>
  refusing(async () => {
    const { rollout, change } = await changeOfKind(run, kind, { config, decide: resuming });
    if (rollout.state !== seen.state || rollout.failed > seen.failed)
      throw new RefusedError(
        `the rollout of ${kind.kind} has changed since it was shown, nothing was written: look at it again`,
      );
    return write(run, change);
  });

export const rollOutFirst = (
  run: Run,
  kind: Kind,
  { namespace, name }: ResourceKey,
): Promise<Done> =>
  refusing(async () => {
    const live = await run.cluster.getMetadata(kind, { namespace, name });
    if (live === undefined)
      throw new RefusedError(`${kind.kind} ${qualifiedName(namespace, name)} is gone`);
    return write(run, goingFirst(kind, { namespace, name }, live));
  });

async function write(run: Run, change: RolloutChange): Promise<Done> {
  await writeChange(run, change, manager);
  return { text: change.text, problems: [] };
}

async function refusing(act: () => Promise<Done>): Promise<Done> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CommandError) throw new RefusedError(error.message);
    if (isConflict(error))
      throw new RefusedError('it was changed meanwhile, nothing was written: look at it again');
    throw error;
  }
}
