import pMap from 'p-map';
import type { Kind } from '../../../shared/kinds/define-kind.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import { type Rule, rulesFor } from '../../generate/rbac.ts';
import { type Check, fail, ok, warn } from './check.ts';
import type { Probe } from './probe.ts';

/** One verb on one resource. */
export interface Access {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
}

export const accessesOf = (rules: readonly Rule[]): readonly Access[] =>
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
  readonly user: string;
  /** Asked for by impersonation. */
  readonly isImpersonated: boolean;
  readonly remedy: string;
}

const atOnce = 8;

/** Whether a user has every right that the reconciler needs, for each namespace where it is bound to some. */
export async function rightsChecks(probe: Probe, rights: Rights): Promise<readonly Check[]> {
  const { user, isImpersonated, namespaces, remedy } = rights;
  const as = isImpersonated ? user : undefined;
  const accesses = accessesOf(rulesFor(rights.kinds));
  const questions = (namespaces ?? ['']).flatMap((namespace) =>
    accesses.map((access) => ({ ...access, namespace })),
  );
  const answers = await pMap(
    questions,
    async (question) => ({ ...question, answer: await ask(probe, question, as) }),
    { concurrency: atOnce },
  );
  const name = `rights of ${user}`;
  const unclear = answers.find(({ answer }) => typeof answer === 'string');
  if (unclear !== undefined)
    return [fail(name, `cannot be asked for: ${String(unclear.answer)}`, remedy)];
  const lacking = (namespaces ?? ['']).map((namespace) => ({
    namespace,
    missing: answers.filter((one) => one.namespace === namespace && one.answer === false),
  }));
  const whole = lacking.filter(({ missing }) => missing.length === 0);
  const where =
    namespaces === undefined ? '' : ` in ${whole.map((one) => one.namespace).join(', ')}`;
  return [
    ...(whole.length === 0 ? [] : [ok(name, `all ${accesses.length} that are needed${where}`)]),
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

/** What another user lacks is no fault of the installation. */
export const forgiven = (checks: readonly Check[]): readonly Check[] =>
  checks.map(({ name, state, message }) =>
    state === 'fail' ? warn(name, message) : { name, state, message },
  );

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

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Whether it is allowed, or why that cannot be told. */
async function ask(
  probe: Probe,
  attributes: Access & { readonly namespace: string },
  as: string | undefined,
): Promise<boolean | string> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: attributes },
  };
  const { code, value, message } = await probe({ path: reviews, body, as });
  if (code >= 300) return `HTTP ${code}: ${message}`;
  const { status } = value as { readonly status?: { readonly allowed?: boolean } };
  return status?.allowed === true;
}
