import { type Kind, ownedType } from '../../../shared/kinds/kind.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import type { Run } from '../../../shared/run/run.ts';
import { RefusedActionError } from '../../actions/refused-action-error.ts';
import { type DashboardTarget, during } from '../dashboard-target.ts';
import type { Operations } from '../operations.ts';
import type { Looked, ResourceView } from '../views.ts';
import { openBoundedReads } from './bounded-reads.ts';
import { readDetail } from './detail.ts';
import { shownManifest } from './manifest.ts';
import { readPods } from './pods.ts';

export function openLooks(
  target: DashboardTarget,
  kindOf: (resource: ResourceView) => Kind,
): Pick<Operations, 'detail' | 'manifest' | 'pods'> {
  const reads = openBoundedReads(target.credentials);
  const live = (run: Run, of: Looked) => readLive(run, kindOf(of.resource), of);
  return {
    detail: (resource) => during(target, (run) => readDetail(run, kindOf(resource), resource)),
    manifest: (of) =>
      during(target, async (run) => shownManifest(await live(run, of), target.config.identity)),
    pods: (of) => during(target, async (run) => readPods(reads(), await live(run, of))),
  };
}

const readMs = 10_000;

async function readLive(run: Run, kind: Kind, { resource, child }: Looked) {
  const type = child === undefined ? kind : ownedType(kind, child);
  const { name, namespace = resource.namespace } = child ?? resource;
  const live = type && (await run.cluster.withTimeout(readMs).get(type, { namespace, name }));
  if (type !== undefined && live !== undefined) return { type, live };
  const title = titleOf({ ...(child ?? resource), namespace });
  throw new RefusedActionError(`${title} no longer exists`);
}
