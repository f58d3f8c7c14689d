import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import type { Around } from '../reconcile/calls.ts';
import type { Api, Live } from '../scenarios/api.ts';
import { child, digestOf, greetingKey, hashLabel } from '../scenarios/applications.ts';
import { base64 } from '../scenarios/databases.ts';
import type { Testbed, TestNamespace } from './testbed.ts';
import type { Actors } from './timeline.ts';

const evil = 'Evil';
const greetings = ['Hello', 'World', 'Salut', evil];

/** Maps each greeting to its digest in the pod template, as undisturbed runs write it. */
export type Digests = ReadonlyMap<string, string | undefined>;

export async function learnDigests(testbed: Testbed): Promise<Digests> {
  const digests = new Map<string, string | undefined>();
  for (const greeting of greetings) {
    const { api, run, close } = await testbed.open();
    await api.create(application, 'shop', { spec: { greeting } });
    await run();
    digests.set(base64(greeting), digestOf(await api.get(deployment, child.deployment)));
    await close();
  }
  if (new Set(digests.values()).size < digests.size) throw new Error('two greetings, one digest');
  return digests;
}

const editSpec = (spec: JsonObject) => (api: Api) => api.patch(application, 'shop', { spec });
const editSecret = (greeting: string) => (api: Api) =>
  api.patch(secret, child.secret, { data: { [greetingKey]: base64(greeting) } });
const editDeployment = (metadata: JsonObject) => (api: Api) =>
  api.patch(deployment, child.deployment, { metadata });

/** Changes an Application `shop` and its children as others may; a change that the server refuses is passed over. */
const actions: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
  'create the Application': (api) => api.create(application, 'shop', { spec: {} }),
  'delete the Application': (api) => api.remove(application, 'shop'),
  'greet with Hello': editSpec({ greeting: 'Hello' }),
  'greet with World': editSpec({ greeting: 'World' }),
  'greet with Salut': editSpec({ greeting: 'Salut' }),
  'greet with Hello from another image': editSpec({ greeting: 'Hello', image: 'other:1' }),
  'have two pods': editSpec({ amountPods: 2 }),
  'edit the Secret': editSecret(evil),
  'edit the Secret to what is desired next': editSecret('Hello'),
  'delete the Secret': (api) => api.remove(secret, child.secret),
  'strip the labels of the Secret': (api) =>
    api.patch(secret, child.secret, { metadata: { labels: null } }),
  'scale the Deployment': (api) => api.scale(deployment, child.deployment, 5),
  'delete the Deployment': (api) => api.remove(deployment, child.deployment),
  'forge the hash': editDeployment({ labels: { [hashLabel]: 'forged' } }),
  'delete the Service': (api) => api.remove(service, child.service),
};

export const actionNames = Object.keys(actions);

const contentOf = (live: Live | undefined): string | undefined =>
  (live?.data as Readonly<Record<string, string>> | undefined)?.[greetingKey];

/** Wraps the calls of one run, and records what it knows of the Secret when it writes the Deployment. */
function watching({ api }: TestNamespace, digests: Digests, early: string[]): Around {
  let seen: string | undefined;
  return async (what, call) => {
    const response = await call();
    if (/^(list secrets|(get|apply|patch) Secret )/.test(what)) {
      seen = contentOf(await api.find(secret, child.secret));
    }
    if (what !== `apply Deployment ${child.deployment}`) return response;
    const digest = digestOf(response as Live);
    if (seen === undefined || digests.get(seen) !== digest) {
      early.push(`${what} for ${digest} while the Secret held ${seen}`);
    }
    return response;
  };
}

/** Opens an Application with its writers, and reports every write of its Deployment that comes too early. */
export function openActors(
  testbed: Testbed,
  ground: TestNamespace,
  digests: Digests,
): Actors & { readonly early: readonly string[] } {
  const early: string[] = [];
  return { testbed, ground, actions, early, watch: () => watching(ground, digests, early) };
}
