import { notAcceptable } from '../errors/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Answer, jsonAnswer, textAnswer } from '../http/respond.ts';
import { openApiDocument, openApiIndex } from '../openapi/document.ts';
import type { BuiltInSchemas } from '../resources/built-in-schemas.ts';
import type { Registry } from '../resources/registry.ts';
import { aggregatedGroups } from './aggregated.ts';
import { groupDocument, groupList, groupVersionsOf, resourceList } from './groups.ts';

/** Answers everything that is no resource: health, version, discovery, OpenAPI. */
export const createPathAnswers =
  (registry: Registry, schemas: BuiltInSchemas) =>
  (exchange: Exchange): Answer => {
    const { path, method } = exchange;
    if (method !== 'GET' && method !== 'HEAD') return notFound(path);
    const parts = path.split('/').filter(Boolean);
    const [root, group = '', version = ''] = parts;
    if (HEALTH.includes(root ?? '')) return textAnswer(200, 'ok');
    if (path === '/version') return jsonAnswer(200, versionOf(schemas));
    if (root === 'openapi') return openApi(registry, schemas, exchange);
    if (root === 'api' && parts.length <= 2) return coreDiscovery(registry, exchange, group);
    if (root !== 'apis' || parts.length > 3) return notFound(path);
    if (group === '') return rootDiscovery(registry, exchange, false);
    const known = groupVersionsOf(registry).filter((one) => one.group === group);
    if (known.length === 0) return notFound(path);
    if (version === '') return jsonAnswer(200, groupDocument(registry, group));
    if (!known.some((one) => one.version === version)) return notFound(path);
    return jsonAnswer(200, resourceList(registry, group, version));
  };

const HEALTH = ['healthz', 'readyz', 'livez'];

const notFound = (path: string): Answer => ({
  ...textAnswer(404, '404 page not found\n'),
  warnings: [`the local cluster serves nothing at ${path}`],
});

const versionOf = ({ version }: BuiltInSchemas) => {
  const [major = '', minor = ''] = version.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    gitVersion: version,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '',
    goVersion: '',
    compiler: 'node',
    platform: `${process.platform}/${process.arch}`,
  };
};

const coreDiscovery = (registry: Registry, exchange: Exchange, version: string): Answer => {
  if (version === '') return rootDiscovery(registry, exchange, true);
  if (version !== 'v1') return notFound(exchange.path);
  return jsonAnswer(200, resourceList(registry, '', 'v1'));
};

const AGGREGATED = /application\/json;g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList/;

const rootDiscovery = (registry: Registry, { accept }: Exchange, core: boolean): Answer => {
  if (AGGREGATED.test(accept)) {
    return {
      ...jsonAnswer(200, aggregatedGroups(registry, core)),
      contentType: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    };
  }
  return jsonAnswer(
    200,
    core
      ? { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
      : groupList(registry),
  );
};

const openApi = (registry: Registry, schemas: BuiltInSchemas, exchange: Exchange): Answer => {
  const { path } = exchange;
  if (path === '/openapi/v2') {
    // Only the protobuf form of v2 is ever asked for, by clients that find no v3.
    throw notAcceptable();
  }
  if (path === '/openapi/v3') return jsonAnswer(200, openApiIndex(registry));
  const match = /^\/openapi\/v3\/(?:api|apis\/([^/]+))\/([^/]+)$/.exec(path);
  if (!match) return notFound(path);
  const [, group = '', version = ''] = match;
  const known = groupVersionsOf(registry).some(
    (one) => one.group === group && one.version === version,
  );
  if (!known) return notFound(path);
  return jsonAnswer(200, openApiDocument(registry, schemas, { group, version }));
};
