import {
  badRequest,
  internal,
  methodNotAllowed,
  methodNotSupported,
  noSuchResource as noSuchObjectPath,
  notFound,
  notImplemented,
} from '../errors/errors.ts';
import { goQuote } from '../objects/go-print.ts';
import { pathSegment } from '../objects/names.ts';
import { apiVersionOf } from '../objects/object.ts';
import type { Registry } from '../resources/registry.ts';
import type { Served } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
import { pathInRegistry } from '../writes/registry-key.ts';
import type { Target } from '../writes/target.ts';
import type { RequestInfo, Verb } from './request-info.ts';

/** A path nothing is served at: the answer is plain text, as the real server's is. */
export class NoSuchPath extends Error {}

const SUBRESOURCE_VERBS: readonly Verb[] = ['get', 'update', 'patch'];
/** What a real server has below these resources and this one has not. */
const GAPS = [
  'log',
  'exec',
  'attach',
  'portforward',
  'proxy',
  'eviction',
  'binding',
  'token',
  'ephemeralcontainers',
  'resize',
  'approval',
];

/** What a request is about; throws where nothing is served, or not by this method. */
export const resolveTarget = (
  { registry }: ApiServer,
  info: RequestInfo,
  warn: (text: string) => void,
): Target => {
  const { group, version, plural, namespace, name, subresource } = info;
  const served = registry.find(group, version, plural);
  if (served === undefined) {
    warn(`the local cluster does not serve ${plural} of ${apiVersionOf(group, version)}`);
    throw noSuchResource(registry, info);
  }
  const { namespaced, custom } = served.resource;
  if (info.rest !== undefined && !custom) throw noSuchObjectPath();
  if (namespace !== '' && !namespaced) throw new NoSuchPath('404 page not found');
  if (namespaced && namespace === '' && name !== '') throw noSuchPathOf(served);
  if (info.otherMethod) assertOtherMethod(served, info);
  if (subresource !== '') assertSubresource(served, info);
  else assertMethod(served, info);
  if (namespaced && namespace === '' && !['list', 'watch'].includes(info.verb)) {
    throw served.resource.custom ? new NoSuchPath('404 page not found') : methodNotAllowed();
  }
  const target = { served, namespace, name, subresource };
  if (info.verb !== 'create') assertKey(target);
  return target;
};

/** Objects are kept under paths made of their names, so a name is one segment of a path. */
const assertKey = (target: Target): void => {
  const { name, namespace } = target;
  const problems = pathSegment(name);
  if (problems.length > 0) {
    throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(';')}`);
  }
  if (namespace !== '.' && namespace !== '..') return;
  throw internal(`invalid key: ${goQuote(pathInRegistry(target))}`);
};

/** A group of the server itself answers with a Status, anything else with plain text. */
export const noSuchResource = (registry: Registry, { group }: { group: string }): Error => {
  const known = registry.resources().some((one) => !one.custom && one.group === group);
  return known ? noSuchObjectPath() : new NoSuchPath('404 page not found');
};

const noSuchPathOf = ({ resource }: Served): Error =>
  resource.custom ? new NoSuchPath('404 page not found') : noSuchObjectPath();

/** HEAD of a custom resource is a GET; any other such method is refused. */
const assertOtherMethod = ({ resource }: Served, { verb }: RequestInfo): void => {
  const { custom, group, plural } = resource;
  if (!custom) throw methodNotAllowed();
  if (verb === '') throw methodNotSupported({ group, plural }, verb);
};

const assertMethod = ({ resource }: Served, { verb, name }: RequestInfo): void => {
  if (name === '' && ['get', 'update', 'patch', 'delete'].includes(verb)) {
    throw resource.custom ? badRequest('name must be provided') : methodNotAllowed();
  }
  // Of a custom resource that is created the address may name anything: the object's own name counts.
  if (name !== '' && verb === 'create' && !resource.custom) throw methodNotAllowed();
  if (verb === 'deletecollection' && resource.strategy.oneByOne) throw methodNotAllowed();
};

const assertSubresource = ({ resource, version }: Served, info: RequestInfo): void => {
  const { subresource, verb } = info;
  const offered: Readonly<Record<string, boolean>> = {
    status: version.status,
    scale: version.scale !== undefined,
    finalize: resource.collection === 'namespaces',
  };
  if (GAPS.includes(subresource) && !resource.custom) {
    throw notImplemented(`${resource.plural}/${subresource}`);
  }
  if (offered[subresource] !== true) {
    const { group, plural, custom } = resource;
    throw custom ? notFound({ group, plural, name: info.name }) : noSuchObjectPath();
  }
  if (SUBRESOURCE_VERBS.some((one) => one === verb)) return;
  const { group, plural, custom } = resource;
  throw custom ? methodNotSupported({ group, plural }, verb) : methodNotAllowed();
};
