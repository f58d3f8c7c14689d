import pMap from 'p-map';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import type { GrantedRule } from '../../generate/grants.ts';
import { rulesFor, rulesForDefinitions } from '../../generate/rbac.ts';
import type { ApiProbe } from '../base/probe.ts';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.ts';
import { type Attributes, type ReviewedUser, type ReviewMethod, reviewAccess } from './subjects.ts';

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

export interface Rights {
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[] | undefined;
  readonly subject: ReviewedUser;
  /** True if OWN_IDENTITY or --as names the user; otherwise the functions may run as another one. */
  readonly isFunctions: boolean;
  /** The command that grants these rights. */
  readonly remedy: string;
  /** The command that checks the functions' rights. */
  readonly instead: string;
}

const concurrency = 8;

/** The rights needed in a namespace; an empty namespace means the whole cluster. */
interface Needs {
  readonly namespace: string;
  readonly accesses: readonly Access[];
}

function needsOf({ kinds, namespaces }: Pick<Rights, 'kinds' | 'namespaces'>): readonly Needs[] {
  const accesses = accessesOf(rulesFor(kinds));
  const definitions = accessesOf(rulesForDefinitions(kinds));
  return namespaces === undefined
    ? [{ namespace: '', accesses: [...accesses, ...definitions] }]
    : [
        ...namespaces.map((namespace) => ({ namespace, accesses })),
        { namespace: '', accesses: definitions },
      ];
}

/** Checks that a user has every right that the reconciler needs, in the cluster or in each of NAMESPACES. */
export async function rightsChecks(
  probe: ApiProbe,
  rights: Rights,
): Promise<readonly DoctorCheck[]> {
  const { subject, namespaces, remedy } = rights;
  const needs = needsOf(rights);
  const questions = needs.flatMap(({ namespace, accesses }) =>
    accesses.map((access) => ({ ...access, namespace })),
  );
  const answers = await pMap(
    questions,
    async (question) => ({ ...question, answer: await ask(probe, subject, question) }),
    { concurrency },
  );
  const name = `rights of ${subject.user}`;
  const unclear = answers.find(({ answer }) => typeof answer === 'string');
  if (unclear !== undefined)
    return [fail(name, `could not be checked: ${String(unclear.answer)}`, remedy)];
  const found = needs.map((need) => ({
    ...need,
    missing: answers.filter((one) => one.namespace === need.namespace && one.answer === false),
  }));
  const lacking = found.filter(({ missing }) => missing.length > 0);
  // The rights on CRDs are needed in the whole cluster, even with NAMESPACES.
  const chosen = found.slice(0, namespaces?.length ?? 1);
  const whole = chosen.filter((one) => !lacking.includes(one));
  const where =
    namespaces === undefined ? '' : ` in ${whole.map(({ namespace }) => namespace).join(', ')}`;
  const all = `all ${chosen[0]?.accesses.length} that are needed${where}`;
  return [
    ...(whole.length === 0 ? [] : [grantedCheck(name, all, rights)]),
    ...lacking.map((one) => {
      const inNamespace = one.namespace === '' ? '' : ` in ${one.namespace}`;
      const isAll = one.missing.length === one.accesses.length && chosen.includes(one);
      const what = isAll ? `all ${one.accesses.length}` : listed(one.missing);
      return fail(name, `missing${inNamespace}: ${what}`, remedy);
    }),
  ];
}

const grantedCheck = (
  name: string,
  all: string,
  { isFunctions, subject, instead }: Rights,
): DoctorCheck =>
  isFunctions
    ? ok(name, `${all}${methodNote[subject.method]}`)
    : warn(
        name,
        `${all}; it is unknown whether the functions run as this user, because OWN_IDENTITY is not set`,
        instead,
      );

const methodNote: Readonly<Record<ReviewMethod, string>> = {
  self: '',
  review: ', by SubjectAccessReview',
  impersonation: ', by impersonation',
};

/** `deployments.apps: create, patch; websites.kubecon.my.domain/status: patch` */
function listed(accesses: readonly Access[]): string {
  const verbs = new Map<string, string[]>();
  for (const { group, resource, subresource, name, verb } of accesses) {
    const type = groupResource({ group, plural: resource });
    const path = [subresource === '' ? type : `${type}/${subresource}`, name].join(' ').trim();
    verbs.set(path, [...(verbs.get(path) ?? []), verb]);
  }
  return [...verbs].map(([path, missing]) => `${path}: ${missing.join(', ')}`).join('; ');
}

/** Asks the server whether the access is allowed; returns its answer, or why there is none. */
async function ask(
  probe: ApiProbe,
  subject: ReviewedUser,
  attributes: Attributes,
): Promise<boolean | string> {
  const { code, value, message } = await reviewAccess(probe, subject, attributes);
  if (code >= 300) return `HTTP ${code}: ${message}`;
  const { status } = value as { readonly status?: { readonly allowed?: boolean } };
  return status?.allowed === true;
}
