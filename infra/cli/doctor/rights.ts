import pMap from 'p-map';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import { type PolicyRule, rulesFor } from '../../generate/rbac.ts';
import { type Check, fail, ok, warn } from './check.ts';
import type { Probe } from './probe.ts';
import { type Attributes, type ReviewMethod, reviewAccess, type Subject } from './subjects.ts';

type Access = Omit<Attributes, 'namespace'>;

export const accessesOf = (rules: readonly PolicyRule[]): readonly Access[] =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = '', subresource = ''] = path.split('/');
        return verbs.map((verb) => ({ group, resource, subresource, verb }));
      }),
    ),
  );

export interface Rights {
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[] | undefined;
  readonly subject: Subject;
  /** Whether the functions are known to be this user. */
  readonly isFunctions: boolean;
  /** The command that grants these rights. */
  readonly remedy: string;
  /** The command that checks the functions' rights. */
  readonly instead: string;
}

const concurrency = 8;

/** Whether a user has every right that the reconciler needs, in each namespace if it is limited to some. */
export async function rightsChecks(probe: Probe, rights: Rights): Promise<readonly Check[]> {
  const { subject, namespaces, remedy } = rights;
  const accesses = accessesOf(rulesFor(rights.kinds));
  const questions = (namespaces ?? ['']).flatMap((namespace) =>
    accesses.map((access) => ({ ...access, namespace })),
  );
  const answers = await pMap(
    questions,
    async (question) => ({ ...question, answer: await ask(probe, subject, question) }),
    { concurrency: concurrency },
  );
  const name = `rights of ${subject.user}`;
  const unclear = answers.find(({ answer }) => typeof answer === 'string');
  if (unclear !== undefined)
    return [fail(name, `could not be checked: ${String(unclear.answer)}`, remedy)];
  const lacking = (namespaces ?? ['']).map((namespace) => ({
    namespace,
    missing: answers.filter((one) => one.namespace === namespace && one.answer === false),
  }));
  const whole = lacking.filter(({ missing }) => missing.length === 0);
  const where =
    namespaces === undefined ? '' : ` in ${whole.map((one) => one.namespace).join(', ')}`;
  const all = `all ${accesses.length} that are needed${where}`;
  return [
    ...(whole.length === 0 ? [] : [grantedCheck(name, all, rights)]),
    ...lacking
      .filter(({ missing }) => missing.length > 0)
      .map(({ namespace, missing }) => {
        const place = namespace === '' ? '' : ` in ${namespace}`;
        const isAll = missing.length === accesses.length;
        const what = isAll ? `all ${accesses.length}` : listed(missing);
        return fail(name, `missing${place}: ${what}`, remedy);
      }),
  ];
}

const grantedCheck = (
  name: string,
  all: string,
  { isFunctions, subject, instead }: Rights,
): Check =>
  isFunctions
    ? ok(name, `${all}${methodNote[subject.method]}`)
    : warn(
        name,
        `${all}; whether the functions run as this user is unknown, as OWN_IDENTITY is not set`,
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
  for (const { group, resource, subresource, verb } of accesses) {
    const type = groupResource({ group, plural: resource });
    const path = subresource === '' ? type : `${type}/${subresource}`;
    verbs.set(path, [...(verbs.get(path) ?? []), verb]);
  }
  return [...verbs].map(([path, missing]) => `${path}: ${missing.join(', ')}`).join('; ');
}

/** Whether it is allowed, or why that cannot be determined. */
async function ask(
  probe: Probe,
  subject: Subject,
  attributes: Attributes,
): Promise<boolean | string> {
  const { code, value, message } = await reviewAccess(probe, subject, attributes);
  if (code >= 300) return `HTTP ${code}: ${message}`;
  const { status } = value as { readonly status?: { readonly allowed?: boolean } };
  return status?.allowed === true;
}
