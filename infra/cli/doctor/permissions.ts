import pMap from 'p-map';
import { valueAt } from '../../../shared/json.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import type { GrantedRule } from '../../generate/grants.ts';
import { rulesFor, rulesForDefinitions } from '../../generate/rbac.ts';
import type { ApiProbe } from '../base/probe.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { type DoctorCheck, fail, type Installation, ok, warn } from './doctor-check.ts';
import { type Attributes, findSubjects, type ReviewedUser, reviewAccess } from './subjects.ts';

type Access = Omit<Attributes, 'namespace'>;

const accessesOf = (rules: readonly GrantedRule[]): readonly Access[] =>
  rules.flatMap(({ apiGroups, resources, resourceNames = [''], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = '', subresource = ''] = path.split('/');
        return resourceNames.flatMap((name) =>
          verbs.map((verb) => ({ group, resource, subresource, name, verb })),
        );
      }),
    ),
  );

/** Groups the needed accesses by namespace; `''` means the whole cluster. CRDs are in no namespace. */
function needsOf({ kinds, namespaces }: Installation) {
  const accesses = accessesOf(rulesFor(kinds));
  const definitions = accessesOf(rulesForDefinitions(kinds));
  return namespaces === undefined
    ? [{ namespace: '', accesses: [...accesses, ...definitions], onlyCrds: false }]
    : [
        ...namespaces.map((namespace) => ({ namespace, accesses, onlyCrds: false })),
        { namespace: '', accesses: definitions, onlyCrds: true },
      ];
}

export async function permissionChecks(
  installation: Installation,
  currentUser: string,
): Promise<readonly DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  for (const { subject, check } of await findSubjects(installation, currentUser)) {
    if (check !== undefined) checks.push(check);
    if (subject !== undefined) checks.push(...(await checksOf(installation, subject)));
  }
  return checks;
}

async function checksOf(
  installation: Installation,
  subject: ReviewedUser,
): Promise<readonly DoctorCheck[]> {
  const { probe, namespaces } = installation;
  const name = nameOf(subject);
  const remedy = grantCommand(installation, subject);
  const needs = needsOf(installation);
  const questions = needs.flatMap(({ namespace, accesses }) =>
    accesses.map((access) => ({ ...access, namespace })),
  );
  const answers = await pMap(
    questions,
    async (question) => ({ ...question, answer: await ask(probe, subject, question) }),
    { concurrency: 8 },
  );
  const unclear = answers.find(({ answer }) => typeof answer === 'string');
  if (unclear !== undefined)
    return [fail(name, `could not be checked: ${String(unclear.answer)}`, remedy)];
  const found = needs.map((need) => ({
    ...need,
    missing: answers.filter((one) => one.namespace === need.namespace && one.answer === false),
  }));
  const lacking = found.filter(({ missing }) => missing.length > 0);
  const chosen = found.filter(({ onlyCrds }) => !onlyCrds);
  const whole = chosen.filter((one) => !lacking.includes(one));
  const where =
    namespaces === undefined ? '' : ` in ${whole.map(({ namespace }) => namespace).join(', ')}`;
  const all = `all ${chosen[0]?.accesses.length} that are needed${where}`;
  return [
    ...(whole.length === 0 ? [] : [grantedCheck(installation, subject, all)]),
    ...lacking.map((one) => {
      const inNamespace = one.namespace === '' ? '' : ` in ${one.namespace}`;
      const isAll = one.missing.length === one.accesses.length && chosen.includes(one);
      const what = isAll ? `all ${one.accesses.length}` : listed(one.missing);
      return fail(name, `missing${inNamespace}: ${what}`, remedy);
    }),
  ];
}

/** True if --as or OWN_IDENTITY says that the functions run as this user. */
const isOfFunctions = ({ as, ownIdentity }: Installation, { user }: ReviewedUser): boolean =>
  user === as || ownIdentity.includes(user);

function grantedCheck(installation: Installation, subject: ReviewedUser, all: string): DoctorCheck {
  const name = nameOf(subject);
  if (isOfFunctions(installation, subject)) return ok(name, `${all}${methodNote[subject.method]}`);
  const message = `${all}; it is unknown whether the functions run as this user, because OWN_IDENTITY is not set`;
  return warn(name, message, installation.remedies.doctor('USER'));
}

const nameOf = ({ user }: ReviewedUser): string => `permissions of ${user}`;

const methodNote = {
  self: '',
  review: ', by SubjectAccessReview',
  impersonation: ', by impersonation',
} as const;

/**
 * Adds a caution if the functions may run as another user, because the command would replace that user in the binding.
 */
function grantCommand(installation: Installation, subject: ReviewedUser): string {
  const { namespaces, remedies } = installation;
  const flags = namespaces === undefined ? '' : ` --namespaces ${namespaces.join(',')}`;
  const rbac = `rbac --user ${shellQuote(subject.user)}${flags}`;
  const command = remedies.generated(rbac, 'apply -f -');
  if (isOfFunctions(installation, subject)) return command;
  return `${command}   # if the functions run as this user; otherwise: doctor --as USER`;
}

/** `deployments.apps: create, patch; websites.kubecon.my.domain/status: patch` */
function listed(accesses: readonly Access[]): string {
  const pathOf = ({ group, resource, subresource, name }: Access): string => {
    const type = groupResource({ group, plural: resource });
    return [subresource === '' ? type : `${type}/${subresource}`, name].join(' ').trim();
  };
  return [...Map.groupBy(accesses, pathOf)]
    .map(([path, missing]) => `${path}: ${missing.map(({ verb }) => verb).join(', ')}`)
    .join('; ');
}

/** Reports whether the user has the permission; returns the server's error as a string. */
async function ask(
  probe: ApiProbe,
  subject: ReviewedUser,
  attributes: Attributes,
): Promise<boolean | string> {
  const { code, value, message } = await reviewAccess(probe, subject, attributes);
  return code >= 300 ? `HTTP ${code}: ${message}` : valueAt(value, 'status', 'allowed') === true;
}
