import { randomBytes } from 'node:crypto';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import type { Environment } from '../../shared/environment.ts';
import { applyAll, applyTo, type InstalledManifest } from '../generate/install.ts';
import type { Host } from './host.ts';
import {
  kubeconfigOf,
  removeKubeconfig,
  sharedVariables,
  writeKubeconfig,
} from './local-kubeconfig.ts';
import { narrateEdits } from './log/edits.ts';
import { environmentOf, type LoadedProject } from './reload/project.ts';

interface EmbeddedOptions {
  readonly apiPort: number;
  readonly user: string;
  readonly kubeconfig: string;
  /** The functions' environment, without the variables that the project adds. */
  readonly env: Environment;
  readonly onAudit: (events: readonly unknown[]) => void;
  readonly host: Pick<Host, 'say' | 'onStop'>;
}

export interface Embedded {
  readonly cluster: LocalCluster;
  readonly apply: (manifests: readonly InstalledManifest[]) => Promise<void>;
  /** Rewrites the kubeconfig for a reloaded project. */
  readonly adopt: (project: LoadedProject) => void;
}

export async function startEmbedded(
  first: LoadedProject,
  options: EmbeddedOptions,
): Promise<Embedded> {
  const { apiPort, user, kubeconfig, env, host } = options;
  const token = randomBytes(24).toString('base64url');
  let narrate: ((event: unknown) => void) | undefined;
  const cluster = await startLocalCluster({
    port: apiPort,
    tokens: { [token]: { username: user } },
    onAudit(event) {
      options.onAudit([event]);
      narrate?.(event);
    },
  });
  host.onStop(() => cluster.stop());
  const apply = (manifests: readonly InstalledManifest[]) =>
    applyAll(applyTo(cluster.url), manifests);
  await apply(first.manifests);
  let { kinds } = first;
  const adopt = (project: LoadedProject): void => {
    kinds = project.kinds;
    const settings = environmentOf(project, env);
    const names = [...sharedVariables, ...project.settings];
    writeKubeconfig(kubeconfig, kubeconfigOf({ server: cluster.url, token, settings, names }));
  };
  adopt(first);
  // Reports edits from now on: the installation made all edits so far.
  narrate = narrateEdits({ api: cluster.url, user, kinds: () => kinds, say: host.say });
  host.onStop(async () => removeKubeconfig(kubeconfig, token));
  host.say('cluster', `API server ${cluster.url}, kubectl --kubeconfig .local/kubeconfig`);
  return { cluster, apply, adopt };
}
