import { collection } from '../../../shared/cluster/paths.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import {
  type JsonObject,
  type KubeObject,
  qualifiedName,
  type ResourceType,
} from '../../../shared/kubernetes.ts';
import { printable } from '../../../shared/printable.ts';
import { type Loss, lossesBetween } from '../../check/lost-fields.ts';
import { customResourceDefinition } from '../../generate/crd.ts';
import type { ApiProbe } from './probe.ts';

/** The installed CRD of a kind, and the namespaces to look at; undefined means all. */
export interface Installed {
  readonly definition: JsonObject;
  readonly namespaces: readonly string[] | undefined;
}

/**
 * Names what stored resources would lose if the CRD of a kind replaced the installed one:
 * `spec.replicas is dropped (default/a, default/b and 3 more)`.
 *
 * Caveats: looks at the first 10,000 resources.
 */
export async function lostValues(
  probe: ApiProbe,
  kind: Kind,
  { definition, namespaces }: Installed,
): Promise<readonly string[]> {
  const losses = lossesBetween(definition, customResourceDefinition(kind));
  if (losses.length === 0) return [];
  const found = losses.map((loss) => ({ loss, names: [] as string[], count: 0 }));
  const type = { ...kind, version: servedVersion(definition) ?? kind.version };
  const unread = await eachResource(probe, { type, namespaces }, (resource) => {
    for (const one of found.filter(({ loss }) => concerns(loss, resource))) {
      if (one.names.length < maxNames) one.names.push(nameOf(resource));
      one.count += 1;
    }
  });
  if (unread !== undefined)
    return losses.map(({ text }) => `${text} (resources could not be listed: ${unread})`);
  return found
    .filter(({ count }) => count > 0)
    .map(({ loss, names, count }) => {
      const more = count > names.length ? ` and ${count - names.length} more` : '';
      return `${loss.text} (${names.join(', ')}${more})`;
    });
}

const maxNames = 5;
const pageSize = 50;
const maxPages = 200;

/** Returns true if a stored object cannot be compared, for example because a list is a string in it. */
function concerns(loss: Loss, resource: JsonObject): boolean {
  try {
    return loss.concerns(resource);
  } catch {
    return true;
  }
}

const nameOf = ({ metadata }: KubeObject): string =>
  printable(qualifiedName(metadata.namespace, metadata.name));

interface Version {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
}

function servedVersion({ spec }: JsonObject): string | undefined {
  const { versions = [] } = (spec ?? {}) as { readonly versions?: readonly Version[] };
  const served = versions.filter((one) => one.served);
  return (served.find((one) => one.storage) ?? served[0])?.name;
}

interface Where {
  readonly type: ResourceType;
  readonly namespaces: readonly string[] | undefined;
}

/** Calls `act` for each resource, at most 10,000; returns why a list was refused. */
export async function eachResource(
  probe: ApiProbe,
  { type, namespaces }: Where,
  act: (resource: KubeObject) => void,
): Promise<string | undefined> {
  let pages = 0;
  for (const namespace of namespaces ?? [undefined]) {
    let next = '';
    do {
      const query = `limit=${pageSize}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
      const { code, value, message } = await probe({
        path: `${collection(type, namespace)}?${query}`,
      });
      if (code !== 200) return message;
      const { items = [], metadata } = value as unknown as ResourceList;
      for (const item of items) act(item);
      next = metadata?.continue ?? '';
      pages += 1;
    } while (next !== '' && pages < maxPages);
  }
  return undefined;
}

interface ResourceList {
  readonly items?: readonly KubeObject[];
  readonly metadata?: { readonly continue?: string };
}
