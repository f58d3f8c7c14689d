import { join } from 'node:path';
import { buildOnce } from '@serverless-reconciler/local-cluster/control-plane/build-cache';
import { goBuild } from '@serverless-reconciler/local-cluster/control-plane/go';

const module = import.meta.dirname;

/**
 * Returns the path of the `tofu` command in the version that go.mod pins; builds it if necessary.
 *
 * Caveat: a first build takes three to five minutes on two cores.
 */
export async function buildTofu(log: (line: string) => void): Promise<string> {
  const directory = await buildOnce({
    name: 'opentofu/tofu',
    sources: [join(module, 'go.mod')],
    make(unfinished) {
      log('building OpenTofu (once, some minutes)');
      return goBuild(module, unfinished, { packages: ['github.com/opentofu/opentofu/cmd/tofu'] });
    },
  });
  return join(directory, 'tofu');
}
