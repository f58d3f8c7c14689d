import type { ApiProbe, ProbeResponse } from '../base/probe.ts';
import { type DoctorCheck, fail, type Installation, ok, warn } from './doctor-check.ts';
import { authenticatedUser } from './server-checks.ts';

/** A user whose permissions can be checked, and how to ask the server about them. */
export interface ReviewedUser {
  readonly user: string;
  readonly method: 'self' | 'review' | 'impersonation';
}

/** One verb on one resource. */
export interface Attributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for any name. */
  readonly name: string;
  readonly verb: string;
  readonly namespace: string;
}

/**
 * Asks whether a user may do something.
 *
 * Caveats: only the built-in groups of another user are known, so permissions granted to other groups are missed.
 */
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

/** The groups that the server itself adds for a user of that name. */
function groupsOf(user: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  if (namespace === undefined) return ['system:authenticated'];
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}

/** Without a subject, `check` says why the permissions cannot be checked. */
interface FoundSubject {
  readonly subject?: ReviewedUser;
  readonly check?: DoctorCheck;
}

/** Finds a way to check another user; tries the review first, which needs no permission to impersonate. */
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

/** Chooses whose permissions to check: the user named by --as, else the functions' users, else the current user. */
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
