import { install } from '../../infra/generate/install.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { type Engine, engineUser, openPlaces, runner, type Stage } from '../reconcile/engine.ts';
import { applyManifest, openApi } from '../scenarios/api.ts';
import { kinds } from '../support/config.ts';
import { type DirectCluster, startDirectCluster } from './direct.ts';

/** Runs the engine on a cluster without HTTP, for many worlds. */
export interface DirectEngine extends Stage, Pick<Engine, 'run'> {
  readonly cluster: DirectCluster;
}

/** Opens the engine; `onLog` receives every log line at any level, `more` are further kinds to install. */
export async function openDirectEngine(
  onLog?: (line: string) => void,
  more: readonly Kind[] = [],
): Promise<DirectEngine> {
  const cluster = startDirectCluster();
  const { client, connection, requests } = cluster;
  await install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
    kinds: [...new Set([...kinds, ...more])],
    user: engineUser,
    samples: false,
  });
  const run = runner({
    connection,
    clock: () => new Date(),
    log: createLog(onLog ?? (() => undefined), onLog === undefined ? 'ERROR' : 'DEBUG'),
  });
  return { cluster, run, admin: openApi(client), place: openPlaces({ client, run, requests }) };
}
