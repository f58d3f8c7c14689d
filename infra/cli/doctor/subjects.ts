import { type Check, fail, ok, warn } from './check.ts';
import type { Probe, Reply } from './probe.ts';
import type { Remedies } from './remedies.ts';
import { review, reviews as selfReviews, userIn } from './server.ts';

/** How the server is asked what somebody may do. */
export type Means = 'self' | 'review' | 'impersonation';

/** Somebody whose rights can be asked for. */
export interface Subject {
  readonly user: string;
  readonly means: Means;
}

/** One verb on one resource. */
export interface Attributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  readonly namespace: string;
}

const api = '/apis/authorization.k8s.io/v1';

/**
 * Asks whether a subject may do something.
 *
 * Caveats: the groups of another user are not known; rights that come by others than those everybody
 * is in are not seen.
 */
export function askAbout(
  probe: Probe,
  { user, means }: Subject,
  resourceAttributes: Attributes,
): Promise<Reply> {
  const isOther = means === 'review';
  const kind = isOther ? 'SubjectAccessReview' : 'SelfSubjectAccessReview';
  const whom = isOther ? { user, groups: groupsOf(user) } : {};
  return probe({
    path: `${api}/${kind.toLowerCase()}s`,
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind,
      spec: { ...whom, resourceAttributes },
    },
    as: means === 'impersonation' ? user : undefined,
  });
}

/** Those that the server puts a user of such a name in. */
function groupsOf(user: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  if (namespace === undefined) return ['system:authenticated'];
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}

/** A subject, or why its rights cannot be checked. */
export type Found =
  | { readonly subject: Subject; readonly check?: Check }
  | { readonly subject: undefined; readonly check: Check };

const anything: Attributes = {
  group: '',
  resource: 'events',
  subresource: '',
  verb: 'list',
  namespace: '',
};

/** How another user's rights can be checked: a review needs no right to impersonate. */
export async function findSubject(
  probe: Probe,
  user: string,
  judge: (name: string, message: string) => Check,
): Promise<Found> {
  const reviewed: Subject = { user, means: 'review' };
  const { code, value } = await askAbout(probe, reviewed, anything);
  if (code < 300 && 'status' in value) return { subject: reviewed };
  const name = `user ${user}`;
  const {
    code: answer,
    value: told,
    message,
  } = await probe({
    path: selfReviews,
    body: review,
    as: user,
  });
  if (answer >= 300)
    return { subject: undefined, check: judge(name, `not asked about: ${message}`) };
  if (userIn(told) === user)
    return { subject: { user, means: 'impersonation' }, check: ok(name, 'may be impersonated') };
  const none = 'not asked about: this cluster has neither SubjectAccessReview nor impersonation';
  return { subject: undefined, check: judge(name, none) };
}

interface Asking {
  readonly user: string;
  /** The user named by --as. */
  readonly as: string | undefined;
  readonly ownIdentity: readonly string[];
  readonly remedies: Remedies;
}

/** Those whose rights the installation stands on: who was named, else the functions, else who asks. */
export async function subjectsOf(
  probe: Probe,
  { user, as, ownIdentity, remedies }: Asking,
): Promise<readonly Found[]> {
  const wanted = as !== undefined ? [as] : ownIdentity.length > 0 ? ownIdentity : [user];
  return Promise.all(
    wanted.map(async (one): Promise<Found> => {
      if (one === user) return { subject: { user, means: 'self' } };
      const judge = as === undefined ? warn : fail;
      return findSubject(probe, one, (name, message) => judge(name, message, remedies.asFunctions));
    }),
  );
}
