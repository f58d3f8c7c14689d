import {
  badRequest,
  methodNotAllowed,
  noSuchResource as noSuchObjectPath,
  notFound,
  notImplemented,
} from '../errors/errors.ts';
import { apiVersionOf } from '../objects/object.ts';
import type { Registry } from '../resources/registry.ts';
import type { Served } from '../resources/resource.ts';
import type { ApiServer } from '../server.ts';
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
  const { namespaced } = served.resource;
  if (namespace !== '' && !namespaced) throw new NoSuchPath('404 page not found');
  if (subresource !== '') assertSubresource(served, info);
  else assertMethod(served, info);
  if (namespaced && namespace === '' && (name !== '' || info.verb === 'create')) {
    if (info.verb === 'create' && name === '') throw methodNotAllowed();
    throw new NoSuchPath('404 page not found');
  }
  return { served, namespace, name, subresource };
};

/** A group and version of the server itself answers with a Status, anything else with plain text. */
const noSuchResource = (registry: Registry, { group, version }: RequestInfo): Error => {
  const known = registry
    .resources()
    .some((one) => !one.custom && one.group === group && one.versions[0]?.name === version);
  return known ? noSuchObjectPath() : new NoSuchPath('404 page not found');
};

const assertMethod = ({ resource }: Served, { verb, name }: RequestInfo): void => {
  const onCollection = ['list', 'create', 'deletecollection', 'watch'].includes(verb);
  if (name === '' && !onCollection) {
    throw resource.custom ? badRequest('name must be provided') : methodNotAllowed();
  }
  if (name !== '' && verb === 'create') throw methodNotAllowed();
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
  if (!SUBRESOURCE_VERBS.includes(verb)) throw methodNotAllowed();
};
