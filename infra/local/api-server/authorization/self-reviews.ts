import { badRequest } from '../errors/errors.ts';
import { isMap, type JsonMap, mapAt, textAt } from '../objects/object.ts';
import { parseObjectBody } from '../requests/body.ts';
import type { Call } from '../requests/call.ts';
import type { RequestInfo } from '../requests/request-info.ts';
import { isAdministrator, type User } from '../requests/user.ts';
import type { Authorizer } from './rbac.ts';

/** A resource that is only asked, never stored. */
export interface Review {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly answer: (authorizer: Authorizer, user: User, spec: JsonMap) => JsonMap;
}

const allowed = (authorizer: Authorizer, user: User, spec: JsonMap): JsonMap => {
  const about = mapAt(spec, 'resourceAttributes');
  if (spec.resourceAttributes === undefined) {
    return { allowed: isAdministrator(user) };
  }
  const decision = authorizer.allows({
    user,
    verb: textAt(about, 'verb'),
    group: textAt(about, 'group'),
    resource: textAt(about, 'resource'),
    subresource: textAt(about, 'subresource'),
    namespace: textAt(about, 'namespace'),
    name: textAt(about, 'name'),
  });
  return { allowed: decision };
};

const rules = (authorizer: Authorizer, user: User, spec: JsonMap): JsonMap => {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const everywhere = { verbs: ['*'], nonResourceURLs: ['*'] };
  const isAdmin = isAdministrator(user);
  const own = isAdmin ? [everything] : authorizer.rulesFor(user, textAt(spec, 'namespace'));
  return {
    resourceRules: [...own, ...forEveryone.resources],
    nonResourceRules: [...(isAdmin ? [everywhere] : []), ...forEveryone.paths],
    incomplete: false,
  };
};

/** What the real server's roles for whoever is known let them do: ask about themselves, and look around. */
const forEveryone = {
  resources: [
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    {
      verbs: ['create'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['selfsubjectreviews'],
    },
  ],
  paths: [
    { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
    {
      verbs: ['get'],
      nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'],
    },
  ],
};

/** What a caller may ask about itself. */
export const REVIEWS: readonly Review[] = [
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'selfsubjectaccessreviews',
    kind: 'SelfSubjectAccessReview',
    answer: allowed,
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    plural: 'selfsubjectrulesreviews',
    kind: 'SelfSubjectRulesReview',
    answer: rules,
  },
  {
    group: 'authentication.k8s.io',
    version: 'v1',
    plural: 'selfsubjectreviews',
    kind: 'SelfSubjectReview',
    answer: (_authorizer, user) => ({ userInfo: { username: user.username, groups: user.groups } }),
  },
];

export const findReview = (info: RequestInfo): Review | undefined =>
  REVIEWS.find(
    ({ group, version, plural }) =>
      info.group === group && info.version === version && info.plural === plural,
  );

export const answerReview = (
  review: Review,
  authorizer: Authorizer,
  { body, contentType, user }: Pick<Call, 'body' | 'contentType' | 'user'>,
): JsonMap => {
  const asked = parseObjectBody(body, contentType);
  if (!isMap(asked)) throw badRequest(`${review.kind} must be an object`);
  const spec = mapAt(asked, 'spec');
  return {
    kind: review.kind,
    apiVersion: `${review.group}/${review.version}`,
    metadata: { ...mapAt(asked, 'metadata') },
    spec,
    status: review.answer(authorizer, user, spec),
  };
};
