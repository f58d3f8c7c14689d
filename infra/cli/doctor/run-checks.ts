import pMap from 'p-map';
import { UnreachableError } from '../../../shared/cluster/cluster-errors.ts';
import type { Identity } from '../../../shared/identity.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { messageFor, remedyOf } from '../base/command-errors.ts';
import { shellQuote } from '../base/command-text.ts';
import type { ApiProbe } from '../base/probe.ts';
import { CertificateError } from '../base/probe.ts';
import { childTypeChecks, definitionCheck } from './definitions.ts';
import { deletionCheck } from './deletions.ts';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.ts';
import type { Remedies } from './remedies.ts';
import { rightsChecks } from './rights.ts';
import { checkIdentity, checkServer } from './server-checks.ts';
import { findSubjects } from './subjects.ts';

/** The installation to check. */
interface DoctorInput {
  readonly probe: ApiProbe;
  readonly now: () => Date;
  readonly kinds: readonly Kind[];
  readonly identity: Identity;
  readonly namespaces: readonly string[] | undefined;
  /** The user whose rights are checked, in place of the functions'. */
  readonly as: string | undefined;
  /** The users that the functions are known to run as. */
  readonly ownIdentity: readonly string[];
  readonly remedies: Remedies;
  /** True if --allow-field-loss accepts that a CRD loses values. */
  readonly allowsLoss: boolean;
  /** Receives the name of each group of checks before they begin. */
  readonly onStep: (name: string) => void;
}

/**
 * Checks everything an installation needs: server, user, rights, namespaces, CRDs. Skips checks that depend on
 * one that has failed.
 */
export async function runChecks(input: DoctorInput): Promise<readonly DoctorCheck[]> {
  const { probe, now, remedies, namespaces, kinds } = input;
  const guarded = guardFor(input);
  const server = await guarded('API server', () => checkServer(probe, { remedies, now }));
  if (server.some(({ state }) => state === 'fail')) return server;
  const { user, check } = await checkIdentity(probe, remedies);
  if (user === undefined) return [...server, check];
  const rights = await guarded('rights', () => allRights(input, user));
  const namespaceResults = await guarded('namespaces', () =>
    namespaceChecks(probe, namespaces ?? [], remedies),
  );
  const definitions = await guarded('definitions', async () => [
    ...(await pMap(kinds, (kind) => definitionCheck(probe, kind, input), { concurrency: 4 })),
    ...(await childTypeChecks(probe, kinds)),
  ]);
  const cleaning = kinds.filter(({ finalize }) => finalize !== undefined);
  const ofDeletions = () =>
    pMap(cleaning, (kind) => deletionCheck(probe, kind, input), { concurrency: 4 });
  const deletions = cleaning.length === 0 ? [] : await guarded('deletions', ofDeletions);
  return [...server, check, ...rights, ...namespaceResults, ...definitions, ...deletions];
}

/** Turns an error of a check into a failure. */
const guardFor =
  ({ remedies: { unreachable, doctor }, onStep }: DoctorInput) =>
  async (
    name: string,
    check: () => Promise<readonly DoctorCheck[]>,
  ): Promise<readonly DoctorCheck[]> => {
    onStep(name);
    try {
      return await check();
    } catch (error) {
      const remedy = error instanceof UnreachableError ? unreachable : remedyOf(error);
      const again = `${doctor()}   # try again: the check did not finish`;
      const own = error instanceof CertificateError ? error.remedy : remedy;
      return [fail(name, messageFor(error), own ?? again)];
    }
  };

async function allRights(input: DoctorInput, user: string): Promise<readonly DoctorCheck[]> {
  const { probe, kinds, namespaces, as, ownIdentity, remedies } = input;
  const found = await findSubjects(probe, { user, as, ownIdentity, remedies });
  const checks: DoctorCheck[] = [];
  for (const { subject, check } of found) {
    if (check !== undefined) checks.push(check);
    if (subject === undefined) continue;
    const own = await rightsChecks(probe, {
      kinds,
      namespaces,
      subject,
      isFunctions: subject.user === as || ownIdentity.includes(subject.user),
      remedy: grantCommand(subject.user, input),
      instead: remedies.doctor('USER'),
    });
    checks.push(...own);
  }
  return checks;
}

/**
 * Returns the command that grants the rights. Warns if the functions may run as another user, because the
 * command would replace that user in the binding.
 */
function grantCommand(
  user: string,
  { namespaces, as, ownIdentity, remedies }: DoctorInput,
): string {
  const flags = namespaces === undefined ? '' : ` --namespaces ${namespaces.join(',')}`;
  const command = remedies.generated(`rbac --user ${shellQuote(user)}${flags}`, 'apply -f -');
  if (user === as || ownIdentity.includes(user)) return command;
  return `${command}   # if the functions run as this user; otherwise: doctor --as USER`;
}

/** Checks that the namespaces in NAMESPACES exist. */
async function namespaceChecks(
  probe: ApiProbe,
  namespaces: readonly string[],
  remedies: Remedies,
): Promise<readonly DoctorCheck[]> {
  const found = await pMap(
    namespaces,
    async (namespace) => ({
      namespace,
      ...(await probe({ path: `/api/v1/namespaces/${namespace}` })),
    }),
    { concurrency: 8 },
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
