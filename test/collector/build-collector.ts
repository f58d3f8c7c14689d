import { join } from 'node:path';
import { buildOnce } from '@serverless-reconciler/local-cluster/control-plane/build-cache';
import { goBuild } from '@serverless-reconciler/local-cluster/control-plane/go';

const module = import.meta.dirname;

/**
 * Returns the path of an OpenTelemetry collector that prints what it receives; builds it if necessary.
 *
 * Caveat: a first build takes one to three minutes on two cores.
 */
export async function buildCollector(log: (line: string) => void): Promise<string> {
  const directory = await buildOnce({
    name: 'opentelemetry/collector',
    sources: ['go.mod', 'main.go'].map((name) => join(module, name)),
    make(unfinished) {
      log('building an OpenTelemetry collector (once, some minutes)');
      return goBuild(module, unfinished, { packages: ['.'] });
    },
  });
  return join(directory, 'collector');
}
