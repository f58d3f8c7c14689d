import type { Command } from 'commander';
import { collection } from '../../../shared/cluster/paths.ts';
import type { Config } from '../../../shared/config/config.ts';
import { listAt, textAt, valueAt } from '../../../shared/json.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import {
  apiVersionOf,
  groupResource,
  isClusterScoped,
  type JsonObject,
  type KubeObject,
  qualifiedName,
  type ResourceType,
} from '../../../shared/kubernetes.ts';
import { printable } from '../../../shared/printable.ts';
import { allowFieldLoss } from '../../check/field-loss.ts';
import { type Loss, lossesBetween } from '../../check/lost-fields.ts';
import { customResourceDefinition } from '../../generate/crd.ts';
import type { ApiProbe } from './probe.ts';

export interface FieldLossOptions {
  readonly allowFieldLoss?: true;
}

export const withFieldLoss = (command: Command): Command =>
  command.option(allowFieldLoss, 'accept that new CRDs drop or narrow fields of stored resources');

export const definitionPath = (kind: Kind): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${groupResource(kind)}`;

/** Lists what stored resources would lose to the generated CRD: `spec.replicas is dropped (default/a, default/b)` */
export async function lostValues(
  probe: ApiProbe,
  kind: Kind,
  { definition, namespaces }: Pick<Config, 'namespaces'> & { readonly definition: JsonObject },
): Promise<readonly string[]> {
  const next = customResourceDefinition(kind);
  const losses = [...lossesBetween(definition, next), ...droppedVersions(definition, kind)];
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

function droppedVersions(definition: JsonObject, kind: Kind): readonly Loss[] {
  const kept = [kind, ...kind.versions.map(({ name }) => ({ version: name }))];
  return listAt(definition, 'spec', 'versions')
    .map((one) => textAt(one, 'name') ?? '')
    .filter((name) => !kept.some(({ version }) => version === name))
    .map((version) => ({
      text: `version ${version} is dropped, but resources name it in managedFields, so the API server would refuse to write their status`,
      concerns: (resource) =>
        listAt(resource, 'metadata', 'managedFields').some(
          (one) => textAt(one, 'apiVersion') === apiVersionOf({ ...kind, version }),
        ),
    }));
}

const maxNames = 5;
const maxFullPages = 200;

/** Reports whether a loss concerns the resource; true if the resource cannot be compared. */
function concerns(loss: Loss, resource: JsonObject): boolean {
  try {
    return loss.concerns(resource);
  } catch {
    return true;
  }
}

const nameOf = ({ metadata }: KubeObject): string =>
  printable(qualifiedName(metadata.namespace, metadata.name));

function servedVersion(definition: JsonObject): string | undefined {
  const versions = listAt(definition, 'spec', 'versions');
  const served = versions.filter((one) => valueAt(one, 'served') === true);
  const stored = served.find((one) => valueAt(one, 'storage') === true);
  return textAt(stored ?? served[0], 'name');
}

/** Calls `act` for each resource. Returns why it stopped early: a list was refused, or there are more than 10,000. */
export async function eachResource(
  probe: ApiProbe,
  { type, namespaces }: Pick<Config, 'namespaces'> & { readonly type: ResourceType },
  act: (resource: KubeObject) => void,
): Promise<string | undefined> {
  let full = 0;
  for (const namespace of (isClusterScoped(type) ? undefined : namespaces) ?? [undefined]) {
    let next = '';
    do {
      const query = new URLSearchParams({ limit: '50', continue: next });
      const path = `${collection(type, namespace)}?${query}`;
      const { code, value, message } = await probe({ path });
      if (code !== 200) return message;
      for (const item of listAt(value, 'items')) act(item as KubeObject);
      next = textAt(value, 'metadata', 'continue') ?? '';
      if (next !== '' && ++full === maxFullPages) return 'there are more than 10,000';
    } while (next !== '');
  }
  return undefined;
}
