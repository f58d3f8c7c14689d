import type { ApiProbe, ProbeResponse } from '../base/probe.ts';
import { type DoctorCheck, fail, type Installation, ok, warn } from './doctor-check.ts';
import { authenticatedUser } from './server-checks.ts';

export interface ReviewedUser {
  readonly user: string;
  readonly method: 'self' | 'review' | 'impersonation';
}

export interface Attributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** The name of the object; empty for all objects. */
  readonly name: string;
  readonly verb: string;
  readonly namespace: string;
}

/** Caveats: for any user but the current user, misses permissions from groups that are not built in. */
export function reviewAccess(
  probe: ApiProbe,
  { user, method }: ReviewedUser,
  resourceAttributes: Partial<Attributes>,
): Promise<ProbeResponse> {
  const isOther = method === 'review';
  const kind = isOther ? 'SubjectAccessReview' : 'SelfSubjectAccessReview';
  const whom = isOther ? { user, groups: groupsOf(user) } : {};
  return probe({
    path: `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind,
      spec: { ...whom, resourceAttributes },
    },
    as: method === 'impersonation' ? user : undefined,
  });
}

/** Returns the groups that the API server adds to every user of that name. */
function groupsOf(user: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  if (namespace === undefined) return ['system:authenticated'];
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}

/** If `subject` is missing, `check` explains why the permissions cannot be checked. */
interface FoundSubject {
  readonly subject?: ReviewedUser;
  readonly check?: DoctorCheck;
}

/** Tries SubjectAccessReview first, then impersonation. */
async function findSubject(
  probe: ApiProbe,
  user: string,
  judge: (name: string, message: string) => DoctorCheck,
): Promise<FoundSubject> {
  const reviewed: ReviewedUser = { user, method: 'review' };
  const { code, value } = await reviewAccess(probe, reviewed, {
    resource: 'events',
    verb: 'list',
  });
  if (code < 300 && 'status' in value) return { subject: reviewed };
  const name = `user ${user}`;
  const found = await authenticatedUser(probe, user);
  if (found.code >= 300) return { check: judge(name, `permissions not checked: ${found.message}`) };
  if (found.user === user)
    return { subject: { user, method: 'impersonation' }, check: ok(name, 'may be impersonated') };
  const none =
    'permissions not checked: this cluster has neither SubjectAccessReview nor impersonation';
  return { check: judge(name, none) };
}

export async function findSubjects(
  { probe, as, ownIdentity, remedies }: Installation,
  user: string,
): Promise<readonly FoundSubject[]> {
  const names = as !== undefined ? [as] : ownIdentity.length > 0 ? ownIdentity : [user];
  const judge = as === undefined ? warn : fail;
  return Promise.all(
    names.map(async (one): Promise<FoundSubject> => {
      if (one === user) return { subject: { user, method: 'self' } };
      return findSubject(probe, one, (name, message) => judge(name, message, remedies.asFunctions));
    }),
  );
}
