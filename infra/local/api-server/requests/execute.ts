import { attributesOf, refusal } from '../authorization/attributes.ts';
import { answerReview, findReview } from '../authorization/self-reviews.ts';
import { badRequest, forbiddenRequest, methodNotAllowed } from '../errors/errors.ts';
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

export type Request = Omit<Call, 'verb' | 'target'> & { readonly info: RequestInfo };

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
  assertNumber(request.query.get('timeoutSeconds'));
  const review = findReview(info);
  if (review) {
    if (info.verb !== 'create') throw methodNotAllowed();
    return { kind: 'value', code: 201, value: answerReview(review, server.authorizer, request) };
  }
  authorize(server, request);
  const target = resolveTarget(server, info, request.warn);
  const { deprecationWarning } = target.served.version;
  if (deprecationWarning !== undefined) request.warn(deprecationWarning);
  const call: Call = { ...rest, verb: info.verb, target };
  const handler = handlerOf(call);
  if (handler === undefined) throw methodNotAllowed();
  return handler(server, call);
};

const assertNumber = (text: string | null): void => {
  if (text === null || text === '' || /^-?\d+$/.test(text)) return;
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
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
