import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from '@serverless-reconciler/local-cluster/control-plane/build-cache';
import { goBuild } from '@serverless-reconciler/local-cluster/control-plane/go';

const module = import.meta.dirname;

/**
 * Returns the path of Prometheus's `promtool` in the version that go.mod pins, without service discovery; builds it
 * if necessary.
 *
 * Caveat: a first build takes one to three minutes on two cores.
 */
export async function buildPromtool(log: (line: string) => void): Promise<string> {
  const directory = await buildOnce({
    name: 'prometheus/promtool',
    sources: [join(module, 'go.mod')],
    make(unfinished) {
      log('building promtool (once, some minutes)');
      const packages = ['github.com/prometheus/prometheus/cmd/promtool'];
      return goBuild(module, unfinished, { packages, tags: 'remove_all_sd' });
    },
  });
  return join(directory, 'promtool');
}

/** Runs promtool with a text on its stdin; resolves with what it printed, whatever its exit code. */
export async function promtool(
  program: string,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly printed: string }> {
  const running = promisify(execFile)(program, [...args]);
  running.child.stdin?.end(input);
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, printed: stdout + stderr }),
  );
}
