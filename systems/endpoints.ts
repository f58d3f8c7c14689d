import {
  authUrlAnnotation,
  type Child,
  child,
  digestOf,
  ingress,
  objectName,
  pathMarker,
  type Rule,
  type Static,
  service,
  Type,
  withRules,
} from '../index.ts';
import type { Settings } from './settings.ts';

/** Matches segments of a path that are empty, `.` or `..`. The pattern is valid in RE2 and in JavaScript. */
const badSegment = '/(/|[.][.]?(/|$))';
const badSegmentPattern = new RegExp(badSegment);

/** Refuses `badSegment`: a proxy resolves such segments before it matches paths, so the path would never match. */
const plainSegments: Rule = {
  rule: `!self.matches('${badSegment}')`,
  holds: (text: string) => !badSegmentPattern.test(text),
  message: 'path must not contain empty, "." or ".." segments',
};

const path = Type.String({
  maxLength: 256,
  pattern: '^(/|/?[a-z0-9][a-z0-9/._-]{0,254})$',
  ...withRules(plainSegments),
});

const scopes = Type.Array(Type.String({ maxLength: 128, pattern: '^[A-Za-z0-9._:-]{1,128}$' }), {
  maxItems: 16,
});

/** Returns CEL that normalizes `a`, `/a`, `a/` and `/a/` to `/a/`. */
const whole = (item: string): string => `('/' + ${item}.path + '/').replace('//', '/')`;

const unique: Rule = {
  rule: `self.all(a, self.exists_one(b, ${whole('a')} == ${whole('b')}))`,
  holds: (list: readonly { readonly path: string }[]) =>
    new Set(list.map(bare)).size === list.length,
  message: 'endpoint paths must be unique; a slash at either end makes no difference',
};

/** The exposed paths of an application. Only callers with all scopes of a path may request it. */
export const endpoints = Type.Array(Type.Object({ path, scopes: Type.Optional(scopes) }), {
  description: 'Exposed paths. Only callers with all scopes of a path may request it.',
  maxItems: 64,
  ...withRules(unique),
});

type Endpoints = Static<typeof endpoints>;

/** The application whose endpoints are exposed. */
interface Application {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
}

/** Builds one Ingress for each distinct set of scopes. Sorts the Ingresses by name. */
export function endpointIngresses(
  app: Application,
  list: Endpoints,
  settings: Settings,
): readonly Child[] {
  const groups = new Map<string, Group>();
  for (const endpoint of list) {
    const required = [...new Set(endpoint.scopes)].toSorted();
    const key = required.join(' ');
    const paths = groups.get(key)?.paths ?? [];
    groups.set(key, { scopes: required, paths: [...paths, bare(endpoint)] });
  }
  return [...groups.values()]
    .map((group) => ingressOf(app, group, settings))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Group {
  /** The scopes, sorted and without duplicates; empty for a public path. */
  readonly scopes: readonly string[];
  readonly paths: readonly string[];
}

const nginx = 'nginx.ingress.kubernetes.io';

function ingressOf(app: Application, group: Group, { authUrl, ingressClass }: Settings): Child {
  const isPublic = group.scopes.length === 0;
  const suffix = isPublic ? 'public' : digestOf(group.scopes).slice(0, 16);
  const backend = { service: { name: app.service, port: { name: 'http' } } };
  const paths = group.paths
    .toSorted()
    .map((path) => pathPattern(app, path, pathMarker(suffix)))
    .map((pattern) => ({ path: pattern, pathType: 'ImplementationSpecific', backend }));
  return child(ingress, {
    actsOn: { type: service, name: app.service },
    name: objectName(`${app.name}-${suffix}`),
    annotations: {
      [`${nginx}/use-regex`]: 'true',
      [`${nginx}/rewrite-target`]: '/$1',
      ...(isPublic ? {} : { [authUrlAnnotation]: authorization(group.scopes, authUrl) }),
    },
    ...(isPublic || authUrl !== undefined ? {} : { blocked }),
    body: { spec: { ingressClassName: ingressClass, rules: [{ http: { paths } }] } },
  });
}

/** Builds the annotation even without an address: nginx then refuses requests, and the path is never public. */
const authorization = (required: readonly string[], authUrl = ''): string =>
  `${authUrl}?scopes=${encodeURIComponent(required.join(' '))}`;

const blocked = {
  reason: 'AuthUrlMissing',
  message:
    'endpoints with scopes need AUTH_URL, and AUTH_URL is not set, so no Ingress of this resource is written; existing protected Ingresses stay as they are: set AUTH_URL to the address that authorizes requests',
};

const bare = (endpoint: { readonly path: string }): string =>
  endpoint.path.replace(/^\//, '').replace(/\/$/, '');

/**
 * Builds a regular expression whose only capturing group is the path that the application receives. Nginx
 * ignores case, matches the start of a request's path, and tries the longest expression first.
 */
function pathPattern(
  { namespace, name }: Application,
  endpointPath: string,
  marker: string,
): string {
  const prefix = `/${literal(namespace)}/${literal(name)}`;
  return endpointPath === ''
    ? `${prefix}${marker}(?:/(.*))?$`
    : `${prefix}/${marker}(${literal(endpointPath)}(?:/.*)?)$`;
}

const literal = (text: string): string => text.replaceAll(/[^A-Za-z0-9/_-]/g, '\\$&');
