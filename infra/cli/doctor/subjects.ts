import type { ApiProbe, ProbeResponse } from '../base/probe.ts';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.ts';
import type { Remedies } from './remedies.ts';
import { review, reviews as selfReviews, userOfReview } from './server-checks.ts';

/** The ways to ask the server about a user's rights. */
export type ReviewMethod = 'self' | 'review' | 'impersonation';

/** A user whose rights can be checked. */
export interface ReviewedUser {
  readonly user: string;
  readonly method: ReviewMethod;
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

const api = '/apis/authorization.k8s.io/v1';

/**
 * Asks whether a subject may do something.
 *
 * Caveats: the groups of another user are unknown; rights granted to groups other than the built-in
 * ones are missed.
 */
export function reviewAccess(
  probe: ApiProbe,
  { user, method }: ReviewedUser,
  resourceAttributes: Attributes,
): Promise<ProbeResponse> {
  const isOther = method === 'review';
  const kind = isOther ? 'SubjectAccessReview' : 'SelfSubjectAccessReview';
  const whom = isOther ? { user, groups: groupsOf(user) } : {};
  return probe({
    path: `${api}/${kind.toLowerCase()}s`,
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

/** A subject, or why its rights cannot be checked. */
type FoundSubject =
  | { readonly subject: ReviewedUser; readonly check?: DoctorCheck }
  | { readonly subject: undefined; readonly check: DoctorCheck };

const anything: Attributes = {
  group: '',
  resource: 'events',
  subresource: '',
  name: '',
  verb: 'list',
  namespace: '',
};

/** Finds a way to check another user's rights; tries the review first, which needs no right to impersonate. */
async function findSubject(
  probe: ApiProbe,
  user: string,
  judge: (name: string, message: string) => DoctorCheck,
): Promise<FoundSubject> {
  const reviewed: ReviewedUser = { user, method: 'review' };
  const { code, value } = await reviewAccess(probe, reviewed, anything);
  if (code < 300 && 'status' in value) return { subject: reviewed };
  const name = `user ${user}`;
  const {
    code: answer,
    value: selfReview,
    message,
  } = await probe({
    path: selfReviews,
    body: review,
    as: user,
  });
  if (answer >= 300)
    return { subject: undefined, check: judge(name, `rights not checked: ${message}`) };
  if (userOfReview(selfReview) === user)
    return { subject: { user, method: 'impersonation' }, check: ok(name, 'may be impersonated') };
  const none = 'rights not checked: this cluster has neither SubjectAccessReview nor impersonation';
  return { subject: undefined, check: judge(name, none) };
}

interface Asking {
  readonly user: string;
  /** The user named by --as. */
  readonly as: string | undefined;
  readonly ownIdentity: readonly string[];
  readonly remedies: Remedies;
}

/** Chooses whose rights to check: the user named by --as, else the functions' users, else the current user. */
export async function findSubjects(
  probe: ApiProbe,
  { user, as, ownIdentity, remedies }: Asking,
): Promise<readonly FoundSubject[]> {
  const wanted = as !== undefined ? [as] : ownIdentity.length > 0 ? ownIdentity : [user];
  return Promise.all(
    wanted.map(async (one): Promise<FoundSubject> => {
      if (one === user) return { subject: { user, method: 'self' } };
      const judge = as === undefined ? warn : fail;
      return findSubject(probe, one, (name, message) => judge(name, message, remedies.asFunctions));
    }),
  );
}
