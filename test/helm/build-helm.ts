import { join } from 'node:path';
import { buildOnce } from '@serverless-reconciler/local-cluster/control-plane/build-cache';
import { goBuild } from '@serverless-reconciler/local-cluster/control-plane/go';

const module = import.meta.dirname;

/**
 * Returns the path of the `helm` command in the version that go.mod pins; builds it if necessary.
 *
 * Caveat: a first build takes one to three minutes on two cores.
 */
export async function buildHelm(log: (line: string) => void): Promise<string> {
  const directory = await buildOnce({
    name: 'helm/helm',
    sources: [join(module, 'go.mod')],
    make(unfinished) {
      log('building Helm (once, some minutes)');
      return goBuild(module, unfinished, { packages: ['helm.sh/helm/v3/cmd/helm'] });
    },
  });
  return join(directory, 'helm');
}
