import { isAdministrator, type User } from '../authentication/user.ts';
import { badRequest } from '../errors/api-errors.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../json/value.ts';
import { parseObjectBody } from '../requests/body.ts';
import type { ParsedRequest, RequestInfo } from '../requests/request-info.ts';
import type { Authorizer } from './rbac.ts';

/** A resource that is created and answered, never stored. */
export interface Review {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly answer: (authorizer: Authorizer, user: User, spec: JsonObject) => JsonObject;
}

function allowed(authorizer: Authorizer, user: User, spec: JsonObject): JsonObject {
  const about = objectAt(spec, 'resourceAttributes');
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
}

function rules(authorizer: Authorizer, user: User, spec: JsonObject): JsonObject {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const everywhere = { verbs: ['*'], nonResourceURLs: ['*'] };
  const isAdmin = isAdministrator(user);
  const own = isAdmin ? [everything] : authorizer.rulesFor(user, textAt(spec, 'namespace'));
  return {
    resourceRules: [...own, ...forEveryone.resources],
    nonResourceRules: [...(isAdmin ? [everywhere] : []), ...forEveryone.paths],
    incomplete: false,
  };
}

/** Rules that every authenticated user has on the real server: reviews of their own rights, and discovery. */
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

/** The reviews that a caller may create about itself. */
export const reviews: readonly Review[] = [
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

export function findReview(info: RequestInfo): Review | undefined {
  return reviews.find(
    ({ group, version, plural }) =>
      info.group === group && info.version === version && info.plural === plural,
  );
}

export function answerReview(
  review: Review,
  authorizer: Authorizer,
  {
    body,
    contentType,
    user,
  }: Pick<ParsedRequest, 'body' | 'contentType'> & { readonly user: User },
): JsonObject {
  const given = parseObjectBody(body, contentType);
  if (!isObject(given)) throw badRequest(`${review.kind} must be an object`);
  const spec = objectAt(given, 'spec');
  return {
    kind: review.kind,
    apiVersion: `${review.group}/${review.version}`,
    metadata: { ...objectAt(given, 'metadata') },
    spec,
    status: review.answer(authorizer, user, spec),
  };
}
