import { NoSuchPath, unknownResource } from '../dispatch/resolve.ts';
import { methodNotAllowed, notAcceptable } from '../errors/api-errors.ts';
import type { BuiltInSchemas } from '../kinds/schemas.ts';
import { type Answer, jsonAnswer, textAnswer, yamlAnswer } from '../representations/answer.ts';
import { assertProduced, negotiate } from '../representations/media-type.ts';
import { indented } from '../representations/pretty.ts';
import type { Exchange } from '../requests/exchange.ts';
import type { Registry } from '../resources/registry.ts';
import { aggregatedGroups } from './aggregated.ts';
import {
  type GroupVersion,
  groupDocument,
  groupList,
  groupVersionsOf,
  resourceList,
} from './groups.ts';
import { createOpenApi, openApiIndex } from './openapi.ts';

/** Answers all non-resource paths: health, version, discovery, OpenAPI. */
export function createPathAnswers(
  registry: Registry,
  schemas: BuiltInSchemas,
): (exchange: Exchange) => Answer {
  const documentOf = createOpenApi(registry, schemas);
  return (exchange) => {
    const { path } = exchange;
    if (healthPaths.includes(path)) return textAnswer(200, 'ok');
    if (path.startsWith('/openapi/')) return openApi(registry, documentOf, exchange);
    // Ignores slashes at the end, but not at the beginning.
    const [, root, ...parts] = path.replace(/\/+$/, '').split('/');
    switch (root) {
      case undefined:
        return negotiated(exchange, { paths: pathsOf(registry) });
      case 'version':
        return parts.length > 0 ? notFound(path) : version(exchange, schemas);
      case 'api':
        return discovery(registry, exchange, ['', ...parts]);
      case 'apis':
        return discovery(registry, exchange, parts);
      default:
        return notFound(path);
    }
  };
}

/** Answers `/api…` and `/apis…`, unless they name a resource. */
function discovery(registry: Registry, exchange: Exchange, parts: readonly string[]): Answer {
  const [group, version] = parts;
  const isCore = group === '';
  if (isCore || version !== undefined) assertRead(exchange, registry, group ?? '');
  if (group === undefined || (isCore && version === undefined)) {
    return rootDiscovery(registry, exchange, isCore);
  }
  const known = groupVersionsOf(registry).filter((one) => one.group === group);
  const isServed = known.some((one) => version === undefined || one.version === version);
  if (!isServed || parts.length > 2) {
    const error = unknownResource(registry, { group });
    if (error instanceof NoSuchPath) return notFound(exchange.path);
    throw error;
  }
  const document =
    version === undefined ? groupDocument(registry, group) : resourceList(registry, group, version);
  return negotiated(exchange, document);
}

/** Allows only GET for paths that are routes in the real server; its other documents accept any method. */
function assertRead({ method }: Exchange, registry: Registry, group: string): void {
  const isRoute = registry.resources().some((one) => one.group === group && !one.custom);
  if (isRoute && method !== 'GET') throw methodNotAllowed();
}

const healthPaths = ['/healthz', '/readyz', '/livez'];

function pathsOf(registry: Registry): string[] {
  const versions = groupVersionsOf(registry);
  const groups = versions.flatMap(({ group, version }) =>
    group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
  );
  const all = [...healthPaths, '/api', '/apis', '/apis/', ...groups, '/openapi/v3', '/version'];
  return [...new Set(all)].sort();
}

/** Answers a document in the requested format. */
function negotiated({ accept }: Exchange, value: unknown): Answer {
  const { format } = negotiate(accept, { custom: false, collection: false, watch: false });
  return format === 'yaml' ? yamlAnswer(200, value) : jsonAnswer(200, value);
}

function version({ method, accept }: Exchange, schemas: BuiltInSchemas): Answer {
  if (method !== 'GET') throw methodNotAllowed();
  if (accept !== '') assertProduced(accept, false, ['application/json']);
  const answer = jsonAnswer(200, versionOf(schemas));
  return { ...answer, body: indented(answer.body) };
}

function notFound(path: string): Answer {
  return {
    ...textAnswer(404, '404 page not found\n'),
    warnings: [`the local cluster serves nothing at ${path}`],
  };
}

function versionOf({ version }: BuiltInSchemas) {
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
}

const aggregatedType = /application\/json;g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList/;

function rootDiscovery(registry: Registry, exchange: Exchange, core: boolean): Answer {
  if (aggregatedType.test(exchange.accept)) {
    return {
      ...jsonAnswer(200, aggregatedGroups(registry, core)),
      contentType: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    };
  }
  return negotiated(
    exchange,
    core
      ? { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
      : groupList(registry),
  );
}

function openApi(
  registry: Registry,
  documentOf: (requested: GroupVersion) => string,
  exchange: Exchange,
): Answer {
  const { path } = exchange;
  if (path === '/openapi/v2') {
    // Clients that find no v3 request v2 only as protobuf.
    throw notAcceptable(['application/com.github.proto-openapi.spec.v2.v1.0+protobuf']);
  }
  if (path === '/openapi/v3') return jsonAnswer(200, openApiIndex(registry));
  const match = /^\/openapi\/v3\/(?:api|apis\/([^/]+))\/([^/]+)$/.exec(path);
  if (!match) return notFound(path);
  const [, group = '', version = ''] = match;
  const known = groupVersionsOf(registry).some(
    (one) => one.group === group && one.version === version,
  );
  if (!known) return notFound(path);
  return { ...jsonAnswer(200, {}), body: `${documentOf({ group, version })}\n` };
}
