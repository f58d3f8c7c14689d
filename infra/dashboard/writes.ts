import { isConflict } from '../../shared/cluster/cluster-errors.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { suspendAnnotation } from '../../shared/kinds/names.ts';
import { qualifiedName } from '../../shared/kubernetes.ts';
import type { Run } from '../../shared/run/run.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import {
  goingFirst,
  pausing,
  type RolloutChange,
  resuming,
  writeChange,
} from '../actions/rollout-actions.ts';
import type { ActionResult, ResourceKey, ShownRollout } from './views.ts';

/** Field manager of the annotations that the buttons write. */
const manager = 'reconciler-dashboard';

/** Throws if the resource changes between read and write. */
export const setSuspended = (
  run: Run,
  kind: Kind,
  { resource, suspended }: { readonly resource: ResourceKey; readonly suspended: boolean },
): Promise<ActionResult> =>
  written(run, async () => {
    const { namespace, name } = resource;
    const live = await run.cluster.getMetadata(kind, { namespace, name });
    if (live === undefined) throw gone(kind, resource);
    const title = `${kind.kind} ${qualifiedName(namespace, name)}`;
    return {
      text: `${title} is ${suspended ? 'suspended' : 'resumed'}`,
      annotation: suspendAnnotation,
      value: suspended ? 'true' : undefined,
      object: { type: kind, namespace, name, live },
    };
  });

export const pauseRollout = (run: Run, kind: Kind, config: Config): Promise<ActionResult> =>
  written(run, () => pausing(run, kind, { config }));

export const resumeRollout = (
  run: Run,
  kind: Kind,
  given: { readonly config: Config; readonly seen: ShownRollout },
): Promise<ActionResult> => written(run, () => resuming(run, kind, given));

export const rollOutFirst = (run: Run, kind: Kind, resource: ResourceKey): Promise<ActionResult> =>
  written(run, async () => {
    const change = await goingFirst(run, kind, resource);
    if (change === undefined) throw gone(kind, resource);
    return change;
  });

const gone = ({ kind }: Kind, { namespace, name }: ResourceKey): RefusedActionError =>
  new RefusedActionError(`${kind} ${qualifiedName(namespace, name)} is gone`);

async function written(run: Run, plan: () => Promise<RolloutChange>): Promise<ActionResult> {
  try {
    const change = await plan();
    await writeChange(run, change, manager);
    return { text: change.text, problems: [] };
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new RefusedActionError(
      'the object was changed in the meantime, so nothing was written: check it and try again',
    );
  }
}
