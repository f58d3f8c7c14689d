import { isObject, type JsonObject } from '../json/value.ts';
import type { BuiltInSchemas } from '../kinds/schemas.ts';
import { apiVersionOf } from '../objects/object.ts';
import type { Registry } from '../resources/registry.ts';
import type { Resource, ServedVersion } from '../resources/resource.ts';
import { type Definitions, objectMetaName, type Schema } from '../schema/schema.ts';
import type { GroupVersion } from './groups.ts';
import { groupVersionsOf, subresourcesOf } from './groups.ts';

function pathOf({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** Returns the address of each group and version's document. The address changes with the content. */
export function openApiIndex(registry: Registry): JsonObject {
  return {
    paths: Object.fromEntries(
      groupVersionsOf(registry).map((one) => [
        pathOf(one),
        { serverRelativeURL: `/openapi/v3/${pathOf(one)}?hash=${registry.generation()}` },
      ]),
    ),
  };
}

/** Returns the documents as text, each built once until the served resources change. */
export function createOpenApi(
  registry: Registry,
  schemas: BuiltInSchemas,
): (requested: GroupVersion) => string {
  const texts = new Map<string, string>();
  let generation = registry.generation();
  return (requested) => {
    if (generation !== registry.generation()) texts.clear();
    generation = registry.generation();
    const text =
      texts.get(pathOf(requested)) ?? JSON.stringify(openApiDocument(registry, schemas, requested));
    texts.set(pathOf(requested), text);
    return text;
  };
}

/** Builds the OpenAPI v3 document of one group and version: schemas, and the parts of paths that clients use. */
function openApiDocument(
  registry: Registry,
  schemas: BuiltInSchemas,
  requested: GroupVersion,
): JsonObject {
  const served = registry.resources().flatMap((resource) => {
    const version = resource.versions.find(({ name }) => name === requested.version);
    return resource.group === requested.group && version ? [{ resource, version }] : [];
  });
  const own = served.map(({ resource, version }) => [
    componentName(resource, version, schemas.definitions),
    componentOf(resource, version),
  ]);
  const used = referenced(own, schemas.definitions);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: schemas.version },
    paths: Object.assign(
      {},
      ...served.map(({ resource, version }) => resourcePaths(resource, version)),
    ),
    components: {
      schemas: withComponentRefs({ ...used, ...Object.fromEntries(own) }),
    },
  };
}

function kindOf({ group, kind }: Resource, { name }: ServedVersion): JsonObject {
  return {
    group,
    version: name,
    kind,
  };
}

function componentName(
  resource: Resource,
  version: ServedVersion,
  definitions: Definitions,
): string {
  const builtIn = Object.entries(definitions).find(([, schema]) => schema === version.schema.root);
  if (builtIn) return builtIn[0];
  const reversed = resource.group.split('.').reverse().join('.');
  return `${reversed}.${version.name}.${resource.kind}`;
}

/** Returns the schema of a kind; the schema of a custom kind gets the fields of every object. */
function componentOf(resource: Resource, version: ServedVersion): JsonObject {
  const root = version.schema.root as JsonObject;
  if (!resource.custom) return root;
  return {
    ...root,
    properties: {
      ...(isObject(root.properties) ? root.properties : {}),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [{ $ref: `#/definitions/${objectMetaName}` }] },
    },
    'x-kubernetes-group-version-kind': [kindOf(resource, version)],
  };
}

/** Returns the definitions that the schemas refer to, directly or indirectly. */
function referenced(schemas: unknown, definitions: Definitions): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      const definition = definitions[name];
      if (definition === undefined || name in found) continue;
      found[name] = definition;
      visit(definition);
    }
  };
  visit(schemas);
  return found;
}

function withComponentRefs(schemas: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(schemas).replaceAll('"#/definitions/', '"#/components/schemas/'),
  );
}

function parameters(...names: string[]): JsonObject[] {
  return names.map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  }));
}

function operation(action: string, kind: JsonObject, ...names: string[]): JsonObject {
  return {
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
    parameters: parameters(...names),
    responses: { '200': { description: 'OK' } },
  };
}

function patchTypes({ custom }: Resource): JsonObject {
  return Object.fromEntries(
    [
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      ...(custom ? [] : ['application/strategic-merge-patch+json']),
    ].map((type) => [type, { schema: { type: 'object' } }]),
  );
}

const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'];
const listParameters = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'watch',
];

function resourcePaths(resource: Resource, version: ServedVersion): JsonObject {
  const { group, plural, namespaced } = resource;
  const kind = kindOf(resource, version);
  const root = group === '' ? `/api/${version.name}` : `/apis/${apiVersionOf(group, version.name)}`;
  const all = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const change = {
    get: operation('get', kind, 'resourceVersion'),
    put: operation('put', kind, ...writeParameters),
    patch: {
      ...operation('patch', kind, ...writeParameters, 'force'),
      requestBody: { content: patchTypes(resource), required: true },
    },
  };
  return {
    [all]: {
      get: operation('list', kind, ...listParameters),
      post: operation('post', kind, ...writeParameters),
      delete: operation('deletecollection', kind, 'dryRun', 'labelSelector', 'fieldSelector'),
    },
    [`${all}/{name}`]: { ...change, delete: operation('delete', kind, 'dryRun') },
    ...Object.fromEntries(
      subresourcesOf(resource, version).map((name) => [`${all}/{name}/${name}`, change]),
    ),
  };
}
