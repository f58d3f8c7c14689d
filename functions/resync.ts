import { areaOf } from '../shared/reconcile/area.ts';
import type { Report } from '../shared/reconcile/report.ts';
import type { Runs } from '../shared/runs.ts';
import { parseScope } from '../shared/scope.ts';
import { RequestError } from './door.ts';
import { runResync } from './run-resync.ts';

/** A tick: everything, or the Scope in the body. */
export async function handleResync(runs: Runs, body: unknown): Promise<Report> {
  const scope = parseScope(body ?? {});
  if (typeof scope === 'string') throw new RequestError(400, scope);
  const { kinds, namespaces } = runs.config;
  if (areaOf(scope, { kinds, namespaces }).kinds.length === 0) {
    const known = kinds.map(({ kind }) => kind).join(', ');
    const where = namespaces === undefined ? '' : ` in ${namespaces.join(', ')}`;
    throw new RequestError(
      400,
      `the scope selects nothing: this function reconciles ${known}${where}`,
    );
  }
  return runResync(runs, await runs.begin('tick'), scope);
}
