import { attributesOf, refusal } from '../authorization/attributes.ts';
import { answerReview, findReview } from '../authorization/self-reviews.ts';
import { forbiddenRequest, methodNotAllowed } from '../errors/errors.ts';
import type { Asked } from '../representations/media-type.ts';
import type { ApiServer } from '../server.ts';
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
import type { Call, Outcome } from './call.ts';
import type { RequestInfo, Verb } from './request-info.ts';
import { resolveTarget } from './resolve.ts';

export type Request = Omit<Call, 'verb' | 'target'> & {
  readonly info: RequestInfo;
  /** Settles the form of the answer once it is known what is asked, or refuses. */
  readonly negotiate?: (asked: Asked) => void;
};

type Handler = (server: ApiServer, call: Call) => Outcome;

const HANDLERS: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: deleteCollection,
};

const SCALE: Partial<Record<Verb, Handler>> = {
  get: getScale,
  update: updateScale,
  patch: patchScale,
};

/**
 * Carries out one request: may the caller, is it served, then the verb.
 *
 * Guarantees: synchronous, so that no other request is ever seen half done.
 */
export const execute = (server: ApiServer, request: Request): Outcome => {
  const { info, ...rest } = request;
  const review = findReview(info);
  if (review) {
    if (info.verb !== 'create') throw methodNotAllowed();
    request.negotiate?.({ custom: false, collection: false, watch: false, isReview: true });
    const value = answerReview(review, server.authorizer, request);
    return { kind: 'value', code: 201, value, isReview: true };
  }
  authorize(server, request);
  const target = resolveTarget(server, info, request.warn);
  const { deprecationWarning } = target.served.version;
  if (deprecationWarning !== undefined) request.warn(deprecationWarning);
  if (info.verb === '') throw methodNotAllowed();
  const call: Call = { ...rest, verb: info.verb, target };
  const handler = handlerOf(call);
  if (handler === undefined) throw methodNotAllowed();
  const { verb } = call;
  request.negotiate?.({
    custom: target.served.resource.custom,
    collection: verb === 'list' || verb === 'watch',
    watch: verb === 'watch',
  });
  return handler(server, call);
};

const handlerOf = ({ verb, target }: Call): Handler | undefined => {
  if (target.subresource === 'scale') return SCALE[verb];
  if (target.subresource === 'finalize') return verb === 'update' ? finalize : undefined;
  return HANDLERS[verb];
};

const authorize = ({ authorizer }: ApiServer, { user, info }: Request): void => {
  const attributes = attributesOf(user, info);
  if (authorizer.allows(attributes)) return;
  const subject = { group: info.group, plural: info.plural, name: info.name };
  throw forbiddenRequest(subject, refusal(attributes));
};
