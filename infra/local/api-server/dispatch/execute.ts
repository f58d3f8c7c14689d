import type { User } from '../authentication/user.ts';
import { type Attributes, attributesOf, refusal } from '../authorization/attributes.ts';
import { assertGrant } from '../authorization/escalation.ts';
import type { Authorizer } from '../authorization/rbac.ts';
import { answerReview, findReview } from '../authorization/self-reviews.ts';
import { forbiddenRequest, methodNotAllowed, type Subject } from '../errors/api-errors.ts';
import type { ResourceTraits } from '../representations/media-type.ts';
import type { ParsedRequest, RequestInfo, Verb } from '../requests/request-info.ts';
import type { AssertGrant } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { subjectOf, type Target } from '../resources/target.ts';
import type { Call, Outcome } from '../verbs/call.ts';
import { create } from '../verbs/create.ts';
import { remove } from '../verbs/delete.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { finalize } from '../verbs/finalize.ts';
import { get } from '../verbs/get.ts';
import { list } from '../verbs/list.ts';
import { patch } from '../verbs/patch.ts';
import { getScale, patchScale, updateScale } from '../verbs/scale.ts';
import { update } from '../verbs/update.ts';
import { watch } from '../verbs/watch.ts';
import type { ApiServer } from './api-server.ts';
import { resolveTarget } from './resolve.ts';

export interface Request extends ParsedRequest {
  readonly info: RequestInfo;
  readonly user: User;
}

/** An authorized request, with the resource and the verb that serve it. */
export interface Resolved {
  readonly traits: ResourceTraits;
  readonly run: () => Outcome;
}

type Handler = (server: ServerState, call: Call) => Outcome;

const handlers: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};

const scaleHandlers: Partial<Record<Verb, Handler>> = {
  get: getScale,
  update: updateScale,
  patch: patchScale,
};

/** Authorizes a request and finds its resource and verb. */
export function resolve(server: ApiServer, request: Request): Resolved {
  const { info, user, ...rest } = request;
  const review = findReview(info);
  if (review) {
    if (info.verb !== 'create') throw methodNotAllowed();
    return {
      traits: { custom: false, collection: false, watch: false, isReview: true },
      run: () => {
        const value = answerReview(review, server.authorizer, request);
        return { kind: 'value', code: 201, value, isReview: true };
      },
    };
  }
  const { authorizer } = server;
  const { group, plural, name, verb } = info;
  authorize(authorizer, attributesOf(user, info), { group, plural, name });
  const target = resolveTarget(server.registry, info, request.warn);
  const { deprecationWarning } = target.served.version;
  if (deprecationWarning !== undefined) request.warn(deprecationWarning);
  const handler = verb === '' ? undefined : handlerOf(verb, target);
  if (verb === '' || handler === undefined) throw methodNotAllowed();
  const authorizeCreate = (): void =>
    authorize(authorizer, creationOf(user, target), subjectOf(target));
  const assertGrantOf: AssertGrant = (object, old) =>
    assertGrant(authorizer, {
      user,
      object,
      old,
      subject: subjectOf(target),
      namespace: target.namespace,
    });
  return {
    traits: {
      custom: target.served.resource.custom,
      collection: verb === 'list' || verb === 'watch',
      watch: verb === 'watch',
    },
    run: () =>
      handler(server, { ...rest, verb, target, authorizeCreate, assertGrant: assertGrantOf }),
  };
}

/**
 * Executes one request.
 *
 * Guarantees: synchronous, so no request sees another request half done.
 */
export function execute(server: ApiServer, request: Request): Outcome {
  return resolve(server, request).run();
}

function handlerOf(verb: Verb, { subresource }: Target): Handler | undefined {
  if (subresource === 'scale') return scaleHandlers[verb];
  if (subresource === 'finalize') return verb === 'update' ? finalize : undefined;
  return handlers[verb];
}

function authorize(authorizer: Authorizer, attributes: Attributes, subject: Subject): void {
  if (!authorizer.allows(attributes)) throw forbiddenRequest(subject, refusal(attributes));
}

function creationOf(user: User, { served, namespace, name }: Target): Attributes {
  const { group, plural } = served.resource;
  return { user, verb: 'create', group, resource: plural, subresource: '', namespace, name };
}
