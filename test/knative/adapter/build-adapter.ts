import { join } from 'node:path';
import { buildOnce } from '@serverless-reconciler/local-cluster/control-plane/build-cache';
import { goBuild } from '@serverless-reconciler/local-cluster/control-plane/go';

const module = import.meta.dirname;

/**
 * Returns the path of a command that runs an ApiServerSource as Knative does, in the version that go.mod
 * pins; builds it if necessary.
 *
 * Caveat: a first build takes one to five minutes on two cores.
 */
export async function buildAdapter(log: (line: string) => void): Promise<string> {
  const directory = await buildOnce({
    name: 'knative/adapter',
    sources: ['go.mod', 'main.go'].map((name) => join(module, name)),
    make(unfinished) {
      log("building the adapter of Knative's ApiServerSource (once, some minutes)");
      return goBuild(module, unfinished, { packages: ['.'] });
    },
  });
  return join(directory, 'adapter');
}
