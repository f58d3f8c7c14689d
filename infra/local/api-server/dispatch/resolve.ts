import {
  badRequest,
  internal,
  methodNotAllowed,
  methodNotSupported,
  noSuchResource,
  notFound,
  notImplemented,
} from '../errors/api-errors.ts';
import { goQuote } from '../go/print.ts';
import { pathSegment } from '../objects/names.ts';
import { apiVersionOf } from '../objects/object.ts';
import type { RequestInfo, Verb } from '../requests/request-info.ts';
import type { Registry } from '../resources/registry.ts';
import type { Served } from '../resources/resource.ts';
import type { Target } from '../resources/target.ts';
import { pathInRegistry } from '../resources/target.ts';

/** A path at which nothing is served: answered in plain text, as by the real server. */
export class NoSuchPath extends Error {}

const subresourceVerbs: readonly Verb[] = ['get', 'update', 'patch'];
/** Subresources of the real server that this server does not have. */
const unservedSubresources = [
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

/** Resolves the target of a request; throws if the path is not served, or not with this method. */
export function resolveTarget(
  registry: Registry,
  info: RequestInfo,
  warn: (text: string) => void,
): Target {
  const { group, version, plural, namespace, name, subresource } = info;
  const served = registry.find(group, version, plural);
  if (served === undefined) {
    warn(`the local cluster does not serve ${plural} of ${apiVersionOf(group, version)}`);
    throw unknownResource(registry, info);
  }
  const { namespaced, custom } = served.resource;
  if (info.rest !== undefined && !custom) throw noSuchResource();
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
}

/** Objects are stored under paths that contain their names, so a name must be one segment of a path. */
function assertKey(target: Target): void {
  const { name, namespace } = target;
  const problems = pathSegment(name);
  if (problems.length > 0) {
    throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(';')}`);
  }
  if (namespace !== '.' && namespace !== '..') return;
  throw internal(`invalid key: ${goQuote(pathInRegistry(target))}`);
}

/** Answers with a Status in a group of the server itself, and in plain text elsewhere. */
export function unknownResource(registry: Registry, { group }: { group: string }): Error {
  const known = registry.resources().some((one) => !one.custom && one.group === group);
  return known ? noSuchResource() : new NoSuchPath('404 page not found');
}

function noSuchPathOf({ resource }: Served): Error {
  return resource.custom ? new NoSuchPath('404 page not found') : noSuchResource();
}

/** HEAD of a custom resource is a GET; every other method without a verb is refused. */
function assertOtherMethod({ resource }: Served, { verb }: RequestInfo): void {
  const { custom, group, plural } = resource;
  if (!custom) throw methodNotAllowed();
  if (verb === '') throw methodNotSupported({ group, plural }, verb);
}

function assertMethod({ resource }: Served, { verb, name }: RequestInfo): void {
  if (name === '' && ['get', 'update', 'patch', 'delete'].includes(verb)) {
    throw resource.custom ? badRequest('name must be provided') : methodNotAllowed();
  }
  // A create of a custom resource ignores the name in the URL; the object's own name counts.
  if (name !== '' && verb === 'create' && !resource.custom) throw methodNotAllowed();
  if (verb === 'deletecollection' && resource.strategy.noDeleteCollection) throw methodNotAllowed();
}

function assertSubresource({ resource, version }: Served, info: RequestInfo): void {
  const { subresource, verb } = info;
  const offered: Readonly<Record<string, boolean>> = {
    status: version.status,
    scale: version.scale !== undefined,
    finalize: resource.collection === 'namespaces',
  };
  if (unservedSubresources.includes(subresource) && !resource.custom) {
    throw notImplemented(`${resource.plural}/${subresource}`);
  }
  if (offered[subresource] !== true) {
    const { group, plural, custom } = resource;
    throw custom ? notFound({ group, plural, name: info.name }) : noSuchResource();
  }
  if (subresourceVerbs.some((one) => one === verb)) return;
  const { group, plural, custom } = resource;
  throw custom ? methodNotSupported({ group, plural }, verb) : methodNotAllowed();
}
