import { mapConcurrently } from '../../../shared/reconcile/map-concurrently.ts';
import type { Probe } from '../base/probe.ts';
import { type Check, fail, ok, warn } from './check.ts';
import type { Remedies } from './remedies.ts';

const concurrency = 8;

/** Whether the namespaces in NAMESPACES are there. */
export async function namespaceChecks(
  probe: Probe,
  namespaces: readonly string[],
  remedies: Remedies,
): Promise<readonly Check[]> {
  const found = await mapConcurrently(
    namespaces,
    async (namespace) => ({
      namespace,
      ...(await probe({ path: `/api/v1/namespaces/${namespace}` })),
    }),
    concurrency,
  );
  const there = found.filter(({ code }) => code === 200).map(({ namespace }) => namespace);
  return [
    ...(there.length === 0 ? [] : [ok('namespaces', `${there.join(', ')}: found`)]),
    ...found
      .filter(({ code }) => code !== 200)
      .map(({ namespace, code, message }) =>
        code === 404
          ? fail(
              'namespaces',
              `${namespace} is in NAMESPACES but does not exist`,
              remedies.kubectl(`create namespace ${namespace}`),
            )
          : warn(
              'namespaces',
              `${namespace}: could not be checked: ${code === 403 ? 'this user may not read it' : message}`,
            ),
      ),
  ];
}
