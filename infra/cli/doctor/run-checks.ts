import pMap from 'p-map';
import { messageFor, remedyOf } from '../base/command-errors.ts';
import { childTypeChecks, definitionCheck } from './definitions.ts';
import { deletionCheck } from './deletions.ts';
import { type DoctorCheck, fail, type Installation, ok, warn, whyUnread } from './doctor-check.ts';
import { permissionChecks } from './permissions.ts';
import { checkServer, checkUser } from './server-checks.ts';

/**
 * Checks the server, the user, the permissions, the namespaces and the CRDs. Skips checks that depend on one that
 * has failed. Calls `onStep` with the name of each group of checks before they begin.
 */
export async function runChecks(
  installation: Installation,
  onStep: (name: string) => void,
): Promise<readonly DoctorCheck[]> {
  const { probe, kinds, remedies } = installation;
  /** Turns an error of a check into a failure. */
  const guarded = async (name: string, check: () => Promise<readonly DoctorCheck[]>) => {
    onStep(name);
    return check().catch((error: unknown) => {
      const again = `${remedies.doctor()}   # try again: the check did not finish`;
      return [fail(name, messageFor(error), remedyOf(error, remedies.unreachable) ?? again)];
    });
  };
  const server = await guarded('API server', () => checkServer(installation));
  if (server.some(({ state }) => state === 'fail')) return server;
  const { user, check } = await checkUser(installation);
  if (user === undefined) return [...server, check];
  const cleaning = kinds.filter(({ finalize }) => finalize !== undefined);
  return [
    ...server,
    check,
    ...(await guarded('permissions', () => permissionChecks(installation, user))),
    ...(await guarded('namespaces', () => namespaceChecks(installation))),
    ...(await guarded('CRDs', async () => [
      ...(await pMap(kinds, (kind) => definitionCheck(installation, kind), { concurrency: 4 })),
      ...(await childTypeChecks(probe, kinds)),
    ])),
    ...(cleaning.length === 0
      ? []
      : await guarded('deletions', () =>
          pMap(cleaning, (kind) => deletionCheck(installation, kind), { concurrency: 4 }),
        )),
  ];
}

async function namespaceChecks({
  probe,
  namespaces = [],
  remedies,
}: Installation): Promise<readonly DoctorCheck[]> {
  const found = await pMap(
    namespaces,
    async (namespace) => ({
      namespace,
      ...(await probe({ path: `/api/v1/namespaces/${namespace}` })),
    }),
    { concurrency: 8 },
  );
  const name = 'namespaces';
  const there = found.filter(({ code }) => code === 200).map(({ namespace }) => namespace);
  return [
    ...(there.length === 0 ? [] : [ok(name, `${there.join(', ')}: found`)]),
    ...found
      .filter(({ code }) => code !== 200)
      .map(({ namespace, ...response }) =>
        response.code === 404
          ? fail(
              name,
              `${namespace} is in NAMESPACES but does not exist`,
              remedies.kubectl(`create namespace ${namespace}`),
            )
          : warn(name, `${namespace}: could not be checked: ${whyUnread(response)}`),
      ),
  ];
}
