import pMap from 'p-map';
import { messageOf } from '../../../shared/cluster/errors.ts';
import type { Kind } from '../../../shared/kinds/define-kind.ts';
import type { Run } from '../../../shared/reconcile/run.ts';
import { activityChecks } from './activity.ts';
import { type Check, fail } from './check.ts';
import { definitionCheck } from './definitions.ts';
import { takeInventory } from './inventory.ts';
import { namespaceChecks } from './namespaces.ts';
import type { Probe } from './probe.ts';
import { quote, type Remedies } from './remedies.ts';
import { resourceChecks } from './resources.ts';
import { forgiven, rightsChecks } from './rights.ts';
import { serverChecks, whoWeAre, whoWeMayBe } from './server.ts';

/** One installation to look at. */
export interface Patient {
  readonly probe: Probe;
  readonly run: Run;
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[] | undefined;
  /** The functions' user, to be impersonated. */
  readonly as: string | undefined;
  /** The users the functions are known to be. */
  readonly ownIdentity: readonly string[];
  readonly remedies: Remedies;
}

/**
 * Everything an installation needs, from the outside in: what cannot work without something before
 * it is not looked at once that fails.
 */
export async function examine(patient: Patient): Promise<readonly Check[]> {
  const { probe, run, remedies, namespaces } = patient;
  const server = await guarded('API server', () => serverChecks(probe, { remedies, now: run.now }));
  if (server.some(({ state }) => state === 'fail')) return server;
  const { user, check } = await whoWeAre(probe, remedies);
  if (user === undefined) return [...server, check];
  const rights = await guarded('rights', () => allRights(patient, user));
  const places = await guarded('namespaces', () =>
    namespaceChecks(probe, namespaces ?? [], remedies),
  );
  const definitions = await guarded('definitions', () => definitionsAndResources(patient));
  return [...server, check, ...rights, ...places, ...definitions];
}

/** A check that breaks off is a check that fails. */
async function guarded(
  name: string,
  look: () => Promise<readonly Check[]>,
  remedy?: string,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    return [fail(name, messageOf(error), remedy)];
  }
}

async function allRights(patient: Patient, user: string): Promise<readonly Check[]> {
  const { probe, kinds, namespaces, as } = patient;
  const rightsOf = (who: string, isImpersonated: boolean): Promise<readonly Check[]> =>
    rightsChecks(probe, {
      kinds,
      namespaces,
      user: who,
      isImpersonated,
      remedy: grantTo(who, patient),
    });
  if (as === undefined || as === user) return rightsOf(user, false);
  const other = await whoWeMayBe(probe, as);
  const own = await rightsOf(user, false);
  if (other.user === undefined) return [...own, other.check];
  return [...forgiven(own), other.check, ...(await rightsOf(as, true))];
}

/** There is one binding: given to a user the functions are not, it would take their rights away. */
function grantTo(user: string, { namespaces, as, ownIdentity, remedies }: Patient): string {
  const places = namespaces === undefined ? '' : ` --namespaces ${namespaces.join(',')}`;
  const command = remedies.generated(`rbac --user ${quote(user)}${places}`, 'apply -f -');
  if (user === as || ownIdentity.includes(user)) return command;
  return `${command}   # if the functions are this user; if not: doctor --as USER`;
}

async function definitionsAndResources(patient: Patient): Promise<readonly Check[]> {
  const { probe, run, remedies, namespaces } = patient;
  const found = await pMap(patient.kinds, (kind) => definitionCheck(probe, kind, remedies), {
    concurrency: 4,
  });
  const kinds = found.filter(({ isServed }) => isServed).map(({ kind }) => kind);
  const inventory = await takeInventory(run, { kinds, namespaces });
  return [
    ...found.map(({ check }) => check),
    ...resourceChecks(inventory, remedies),
    ...activityChecks(inventory, run.now()),
  ];
}
