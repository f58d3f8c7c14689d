import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { controllerOf, look } from '../reconcile/desired.ts';
import { base64, ownLabels } from '../reconcile/desired-child.ts';
import type { Place, Stage } from '../reconcile/engine.ts';
import type { Api } from '../scenarios/api.ts';
import { permitted, typeOf } from './disturb.ts';
import { familyDisturbances } from './disturb-families.ts';
import { touches } from './disturb-resources.ts';
import { createForeign } from './foreign-owner.ts';
import type { Step } from './script.ts';

/** Performs a step, if the server accepts it; the caller performs resyncs. */
export async function play(stage: Stage, place: Place, step: Step): Promise<void> {
  const { api, kinds } = place;
  switch (step.do) {
    case 'resync':
      throw new Error('the caller performs resyncs');
    case 'hasty resync':
      return void (await place.resync());
    case 'settle':
      return stage.cluster.controllers.settled();
    case 'website': {
      const { name, imageTag } = step;
      return permitted(
        api.create(website, name, { spec: { imageTag, nodePort: place.nodePort() } }),
      );
    }
    case 'foo':
      return permitted(api.create(foo, step.name, { spec: { ...step.spec } }));
    case 'edit foo': {
      const { deploymentName, replicas = null } = step.spec;
      return permitted(api.patch(foo, step.name, { spec: { deploymentName, replicas } }));
    }
    case 'edit website': {
      const change = 'nodePort' in step.edit ? { nodePort: place.nodePort() } : step.edit;
      return permitted(api.patch(website, step.name, { spec: change }));
    }
    case 'create':
    case 'edit': {
      const kind = kinds.find((one) => one.kind === step.kind);
      if (kind === undefined) throw new Error(`${step.kind} is not played here`);
      const { spec } = step;
      return permitted(
        step.do === 'create'
          ? api.create(kind, step.name, { spec })
          : api.patch(kind, step.name, { spec }),
      );
    }
    case 'annotate':
    case 'remove':
    case 'create anew':
    case 'touch':
      return playOnResource(place, step);
    case 'disturb': {
      const { children } = await look(api, kinds);
      const those = children.filter(({ kind }) => kind === step.kind);
      const child = those[step.at % those.length];
      const act = child && familyDisturbances[child.kind]?.[step.by];
      return act && permitted(act(api, child));
    }
    case 'foreign object':
      return permitted(api.create(deployment, step.name, await createForeign(api, step.as)));
    case 'remove foreign objects':
      return dismiss(place);
    case 'restore passwords':
      return restore(place);
  }
}

async function playOnResource(
  { api, kinds }: Place,
  step: Extract<Step, { readonly do: 'annotate' | 'remove' | 'create anew' | 'touch' }>,
): Promise<void> {
  const { resources } = await look(api, kinds);
  const resource = resources[step.at % resources.length];
  const type = kinds.find(({ kind }) => kind === resource?.kind);
  if (resource === undefined || type === undefined) return;
  const { name } = resource.metadata;
  if (step.do === 'touch') {
    const touch = touches[step.by];
    return touch && permitted(touch(api, type, resource));
  }
  if (step.do === 'annotate') {
    const annotations = { 'serverless-reconciler/suspend': step.suspend ? 'true' : null };
    return void (await api.patch(type, name, { metadata: { annotations } }));
  }
  await api.remove(type, name);
  if (step.do === 'create anew') {
    await permitted(api.create(type, name, { spec: resource.spec as JsonObject }));
  }
}

/** Deletes what no resource controls, except claims, which hold data. */
async function dismiss({ api, kinds }: Place): Promise<void> {
  const { resources, children } = await look(api, kinds);
  const uids = resources.map(({ metadata }) => metadata.uid);
  for (const child of children) {
    const isForeign = !uids.includes(controllerOf(child) ?? '');
    if (isForeign && child.kind !== 'PersistentVolumeClaim') {
      await permitted(api.remove(typeOf(child), child.metadata.name));
    }
  }
}

/** Restores lost passwords, as the message of `CredentialsLost` says. */
async function restore({ api, kinds }: Place): Promise<void> {
  const { resources } = await look(api, kinds);
  for (const { metadata } of resources.filter(({ kind }) => kind === 'Database')) {
    await restoreOne(api, metadata.name);
  }
}

async function restoreOne(api: Api, name: string): Promise<void> {
  const child = `${name}-credentials`;
  const data = { password: base64(`restored-by-hand-for-${name}`) };
  const live = await api.find(secret, child);
  const { password } = (live?.data ?? {}) as JsonObject;
  if (live === undefined) {
    await permitted(
      api.create(secret, child, { metadata: { labels: ownLabels('database', name) }, data }),
    );
  } else if (password === undefined) await permitted(api.patch(secret, child, { data }));
}
