import { randomBytes } from 'node:crypto';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import type { Environment } from '../../shared/environment.ts';
import { narrateEdits } from './edits.ts';
import { applyAll, applyTo, type Manifest } from './install.ts';
import { kubeconfigOf, removeKubeconfig, sharedVariables, writeKubeconfig } from './kubeconfig.ts';
import { environmentOf, type Project } from './project.ts';

export interface EmbeddedOptions {
  readonly apiPort: number;
  /** The functions' user. */
  readonly user: string;
  /** Where to write the kubeconfig. */
  readonly kubeconfig: string;
  /** The functions' environment, without what the project sets for it. */
  readonly env: Environment;
  readonly onAudit: (events: readonly unknown[]) => void;
  readonly say: (who: string, text: string) => void;
  /** Called for each part that runs, with what ends it. */
  readonly onStarted: (stop: () => Promise<void>) => void;
}

/** The embedded cluster. */
export interface Embedded {
  readonly cluster: LocalCluster;
  readonly apply: (manifests: readonly Manifest[]) => Promise<void>;
  /** The kubeconfig follows the project. */
  readonly adopt: (project: Project) => void;
}

/** Starts it with everything that the project installs. */
export async function startEmbedded(first: Project, options: EmbeddedOptions): Promise<Embedded> {
  const { apiPort, user, kubeconfig, env, say, onStarted } = options;
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
  onStarted(() => cluster.stop());
  const apply = (manifests: readonly Manifest[]) => applyAll(applyTo(cluster.url), manifests);
  await apply(first.manifests);
  let { kinds } = first;
  const adopt = (project: Project): void => {
    kinds = project.kinds;
    const settings = environmentOf(project, env);
    const names = [...sharedVariables, ...project.settings];
    writeKubeconfig(kubeconfig, kubeconfigOf({ server: cluster.url, token, settings, names }));
  };
  adopt(first);
  // What was applied until now is no news.
  narrate = narrateEdits({ api: cluster.url, user, kinds: () => kinds, say });
  onStarted(async () => removeKubeconfig(kubeconfig, token));
  say('cluster', `API server ${cluster.url}, kubectl --kubeconfig .local/kubeconfig`);
  return { cluster, apply, adopt };
}
