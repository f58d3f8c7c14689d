import { areaOf, keyOfAreas, laneOf } from '../shared/reconcile/area.ts';
import type { Report } from '../shared/reconcile/report.ts';
import type { Runs } from '../shared/runs.ts';
import { parseScope, type Scope } from '../shared/scope.ts';
import { RequestError } from './door.ts';
import { type FannedOut, fanOut } from './fan-out.ts';
import { nothingSeen } from './nothing-seen.ts';
import type { Publish } from './publish.ts';
import { runResync } from './run-resync.ts';

/** How a tick fans out: where it publishes, and what this cluster is called there. */
export interface Sharing {
  readonly publish: Publish;
  readonly cluster: string | undefined;
}

/** A tick: everything, or the Scope in the body; published by namespace where that is configured. */
export async function handleResync(
  runs: Runs,
  body: unknown,
  sharing?: Sharing,
): Promise<Report | FannedOut> {
  const scope = parseScope(body ?? {});
  if (typeof scope === 'string') throw new RequestError(400, scope);
  const { kinds, namespaces } = runs.config;
  const area = areaOf(scope, { kinds, namespaces });
  if (area.kinds.length === 0) {
    const known = kinds.map(({ kind }) => kind).join(', ');
    const where = namespaces === undefined ? '' : ` in ${namespaces.join(', ')}`;
    throw new RequestError(
      400,
      `the scope selects nothing: this function reconciles ${known}${where}`,
    );
  }
  return runs.enqueue({
    key: `resync ${keyOfAreas([area])}`,
    lane: laneOf([area]),
    input: undefined,
    act: (_, release) => tick(runs, { scope, onSettling: release }, sharing),
  });
}

async function tick(
  runs: Runs,
  { scope, onSettling }: { readonly scope: Scope; readonly onSettling: () => void },
  sharing: Sharing | undefined,
): Promise<Report | FannedOut> {
  if (sharing !== undefined && scope.namespace === undefined)
    return fanOut(runs, sharing.publish, { scope, cluster: sharing.cluster });
  const report = await runResync(runs, await runs.begin('tick'), {
    scopes: [scope],
    onSettling,
  });
  const { incomplete } = report;
  if (incomplete.length === areaOf(scope, runs.config).kinds.length) throw nothingSeen(incomplete);
  return report;
}
