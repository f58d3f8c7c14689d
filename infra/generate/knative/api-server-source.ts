import type { Kind } from '../../../shared/kinds/kind.ts';
import { label } from '../../../shared/kinds/names.ts';
import {
  apiVersionOf,
  groupResource,
  includesType,
  isClusterScoped,
  type ResourceType,
} from '../../../shared/kubernetes.ts';
import { rolesByPath } from '../files.ts';
import {
  objectLabels,
  type PodSettings,
  podNames,
  serviceAccountManifest,
  userIn,
} from '../pod.ts';
import { rbacForWatching } from '../rbac.ts';

interface SourceTypes {
  readonly watched: readonly ResourceType[];
  /** Types that the source cannot watch, because it would guess the wrong plural. */
  readonly unwatched: readonly ResourceType[];
}

/** With `namespaces`, omits cluster-scoped types. */
export function watchedTypes(
  kinds: readonly Kind[],
  namespaces: readonly string[] | undefined,
): SourceTypes {
  const all = kinds.flatMap((kind) => [kind, ...kind.owns, ...kind.refersTo]);
  const types = [...new Map(all.map((type) => [groupResource(type), type])).values()].filter(
    (type) => namespaces === undefined || !isClusterScoped(type),
  );
  const isGuessed = ({ kind, plural }: ResourceType): boolean => plural === guessedPlural(kind);
  return { watched: types.filter(isGuessed), unwatched: types.filter((type) => !isGuessed(type)) };
}

/** Guesses the plural of a kind as Knative does (`UnsafeGuessKindToResource` of k8s.io/apimachinery). */
function guessedPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('endpoints')) return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** The source sends only references to changed objects, never their contents, such as the values of Secrets. */
export function apiServerSource(
  kinds: readonly Kind[],
  installation: PodSettings,
): ReadonlyMap<string, object> {
  const { namespaces } = installation;
  const { watched } = watchedTypes(kinds, namespaces);
  const name = podNames(installation).source;
  const permissions = rbacForWatching(watched, {
    name,
    user: userIn(installation, 'source'),
    namespaces,
  });
  return new Map<string, object>([
    ...rolesByPath('source', permissions),
    ['source/service-account.yaml', serviceAccountManifest(installation, 'source')],
    [
      'source/api-server-source.yaml',
      {
        apiVersion: 'sources.knative.dev/v1',
        kind: 'ApiServerSource',
        metadata: {
          name,
          namespace: installation.namespace,
          labels: objectLabels('source', installation),
        },
        spec: {
          mode: 'Reference',
          serviceAccountName: name,
          // An empty selector selects all namespaces; without a selector, only this namespace would be watched.
          namespaceSelector: namespaces === undefined ? {} : selecting(namespaces),
          resources: watched.map((type) => ({
            apiVersion: apiVersionOf(type),
            kind: type.kind,
            ...(isOnlyOwned(kinds, type) ? { selector: ownedBy(installation.name) } : {}),
          })),
          sink: {
            ref: {
              apiVersion: 'serving.knative.dev/v1',
              kind: 'Service',
              name: podNames(installation).audit,
            },
          },
        },
      },
    ],
  ]);
}

const selecting = (namespaces: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }],
});

/** True if only children have this type: our label then selects all objects whose changes need a run. */
const isOnlyOwned = (kinds: readonly Kind[], type: ResourceType): boolean =>
  !includesType(kinds, type) && !kinds.some(({ refersTo }) => includesType(refersTo, type));

const ownedBy = (name: string) => ({ matchLabels: { [label.managedBy]: name } });
