import type { Random } from '@serverless-reconciler/local-cluster/random';
import { persistentVolumeClaim, secret } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { permitted, typeOf } from '../properties/disturb.ts';
import { familyDisturbances } from '../properties/disturb-families.ts';
import { controllerOf, isDeleting } from '../reconcile/desired.ts';
import { base64, ownLabels } from '../reconcile/desired-child.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { kinds } from '../support/config.ts';
import { childTypes } from '../support/observe.ts';
import type { Actor } from './actors.ts';
import { bystander, type Field } from './field.ts';

/** Lists children and objects with names of children, of one kind or of all, without bystanders. */
export async function childrenIn(api: Api, kind?: string): Promise<readonly Live[]> {
  const types = [...childTypes, persistentVolumeClaim].filter(
    (type) => (kind ?? type.kind) === type.kind,
  );
  const lists = await Promise.all(
    types.map(async (type) => (await api.list(type)).map((live) => ({ ...live, kind: type.kind }))),
  );
  return lists.flat().filter(({ metadata }) => !metadata.name.startsWith(bystander));
}

/** Actors that edit, scale, take over, orphan, replace and delete children, in all known ways. */
export const driftersOf = (field: Field): readonly Actor[] => {
  const disturb = async (random: Random): Promise<void> => {
    const api = field.api(random.pick(field.teams));
    const [kind, table] = random.pick(Object.entries(familyDisturbances));
    const children = await childrenIn(api, kind);
    if (children.length === 0) return;
    const child = random.pick(children);
    const [, act] = random.pick(Object.entries(table));
    await act(api, child);
  };
  return [
    { name: 'drifter', everyMs: 600, act: disturb },
    { name: 'second drifter', everyMs: 1_100, act: disturb },
    { name: 'fighter', everyMs: 3_000, act: (random) => fight(field, random) },
    { name: 'janitor', everyMs: 6_000, act: (random) => tidy(field.api(random.pick(field.teams))) },
  ];
};

/** Fights over one field by changing it back repeatedly for a short time. */
async function fight(field: Field, random: Random): Promise<void> {
  const api = field.api(random.pick(field.teams));
  const children = await childrenIn(api, random.pick(['Deployment', 'StatefulSet']));
  if (children.length === 0) return;
  const child = random.pick(children);
  for (let turn = 0; turn < 4; turn++) {
    await permitted(api.scale(typeOf(child), child.metadata.name, 5));
    await new Promise((resolve) => setTimeout(resolve, 150 + random.below(300)));
  }
}

/** Removes foreign finalizers and blocking objects, and restores lost passwords. */
export async function tidy(api: Api): Promise<void> {
  const resources = (await Promise.all(kinds.map((kind) => api.list(kind).catch(() => [])))).flat();
  const uids = new Set(resources.map(({ metadata }) => metadata.uid));
  await letGo(api);
  for (const child of await childrenIn(api)) {
    const { name } = child.metadata;
    const isForeign = !uids.has(controllerOf(child) ?? '');
    if (isForeign && child.kind !== persistentVolumeClaim.kind)
      await permitted(api.remove(typeOf(child), name));
  }
  for (const { metadata, spec } of resources) {
    if (spec?.storage !== undefined) await restore(api, metadata.name);
  }
}

/** Removes the finalizers of deleted objects. */
export async function letGo(api: Api): Promise<void> {
  for (const child of await childrenIn(api)) {
    const { name, finalizers = [] } = child.metadata;
    if (isDeleting(child) && finalizers.some((one) => one.startsWith('other/')))
      await permitted(api.patch(typeOf(child), name, { metadata: { finalizers: null } }));
  }
}

/** Restores a password as the condition recommends. */
async function restore(api: Api, name: string): Promise<void> {
  const child = `${name}-credentials`;
  const data = { password: base64(`restored-by-hand-for-${name}`) };
  const live = await api.find(secret, child);
  const metadata = { labels: ownLabels('database', name) };
  if (live === undefined) {
    const claim = await api.find(persistentVolumeClaim, `data-${name}-0`);
    if (claim !== undefined) await permitted(api.create(secret, child, { metadata, data }));
  } else if ((live.data as JsonObject | undefined)?.password === undefined)
    await permitted(api.patch(secret, child, { data }));
}
