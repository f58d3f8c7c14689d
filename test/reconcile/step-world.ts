/** Makes single checks and requests for one resource and its children, on a cluster without HTTP. */

import { install } from '../../infra/generate/install.ts';
import type { Connection } from '../../shared/cluster/http/connection.ts';
import { openCluster } from '../../shared/cluster/http-cluster.ts';
import { defaultIdentity as identity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { Turn } from '../../shared/resource/turn.ts';
import { survey } from '../../shared/resync/survey.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import { laterPass, type Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { startDirectCluster } from '../properties/direct.ts';
import { type Api, applyManifest, openApi } from '../scenarios/api.ts';
import { engineUser, openPlaces, type Place, runner } from './engine.ts';

export interface StepWorld {
  readonly run: Run;
  readonly admin: Api;
  readonly connection: Connection;
  place(): Promise<Place>;
  /** Begins the work on a resource whose spec counts as fresh until `freshUntil`. */
  begin(place: Place, kind: Kind, name: string, freshUntil?: number): Promise<Turn>;
  stop(): void;
}

export const nowMs = Date.parse('2026-11-22T12:00:00Z');

/** Creates a Foo of which a run has to write only the status. */
export async function outdateStatus({ api }: Place, name: string, child = name): Promise<void> {
  const listed = { apiVersion: 'apps/v1', kind: 'Deployment', name: child };
  const status = { children: [listed, listed] };
  await api.patch(foo, name, { status }, { subresource: 'status' });
}

export async function openStepWorld(kinds: readonly Kind[]): Promise<StepWorld> {
  const { client, connection, requests, stop } = startDirectCluster();
  const log = createLog(() => undefined, 'ERROR');
  await install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
    kinds,
    user: engineUser,
    samples: false,
  });
  const resyncs = runner({ connection, clock: () => new Date(nowMs), log });
  const places = openPlaces({ client, run: resyncs, requests });
  const cluster = openCluster(connection, { concurrency: 8, deadline: Date.now() + 600_000 });
  const clients = { identity, log, now: () => new Date(nowMs) };
  const run: Run = {
    cluster,
    clients,
    limits: { deadline: nowMs + 600_000, memory: openMemory()('local') },
    policy: { trigger: 'resync', seed: 1 },
    nodePorts: nodePortsOf(cluster),
  };
  return {
    run,
    stop,
    connection,
    admin: openApi(client),
    place: () => places(kinds),
    async begin(place, kind, name, freshUntil = nowMs) {
      const live = await openApi(client, place.namespace).get(kind, name);
      const uids = new Set([live.metadata.uid]);
      const area = { kinds: [kind], namespaces: [place.namespace], name, uids };
      const { work } = await survey(laterPass(run), [area]);
      const [world] = work;
      if (world === undefined) throw new Error(`${kind.kind} ${name} is gone`);
      return new Turn(run, world, { prune: () => true, freshUntil, timeoutMs: 600_000 });
    },
  };
}
