import type { Random } from '@serverless-reconciler/local-cluster/random';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { RefusedError } from '../../testing/user.ts';
import { permitted } from '../properties/disturb.ts';
import { ownLabels } from '../reconcile/desired-child.ts';
import { controllerOf } from '../scenarios/api.ts';
import { foreignDeployment } from '../scenarios/resources.ts';
import type { Actor } from './actors.ts';
import type { Field } from './field.ts';

/** Actors of a hostile tenant that may write its own objects and all statuses. */
export const hostilesOf = (field: Field): readonly Actor[] =>
  Object.entries(attacks).map(([name, act]) => ({
    name,
    everyMs: 9_000,
    act: (random) => act(field, random),
  }));

type Attack = (field: Field, random: Random) => Promise<void>;

const attacks: Readonly<Record<string, Attack>> = {
  /** Creates an object in another namespace that names our resource as its controller, and cannot be deleted. */
  async impostor(field, random) {
    const theirs = field.api(field.tenant);
    const name = 'impostor';
    await permitted(theirs.patch(deployment, name, { metadata: { finalizers: null } }));
    await permitted(theirs.remove(deployment, name));
    const [live] = await field.api(random.pick(field.teams)).list(foo);
    if (live === undefined || random.chance(0.3)) return;
    const owner = { ...live, apiVersion: 'example.com/v1alpha1', kind: 'Foo' };
    const metadata = {
      labels: ownLabels('foo', live.metadata.name),
      ownerReferences: [controllerOf(owner)],
      finalizers: ['other/hold'],
    };
    await theirs.create(deployment, name, foreignDeployment(metadata));
  },

  /** Nests managedFields so deeply that a recursion over them overflows the stack. */
  async abyss(field, random) {
    const theirs = field.api(field.tenant);
    await permitted(theirs.remove(secret, 'abyss'));
    if (random.chance(0.6)) return;
    await theirs.create(secret, 'abyss', { metadata: { labels: ownLabels('foo', 'f') } });
    // The embedded cluster accepts less depth than a kube-apiserver.
    for (const levels of [6_000, 500]) {
      const isStored = await theirs
        .patch(secret, 'abyss', deepManagers(levels), { as: 'json' })
        .then(() => true, isRefused);
      if (isStored) return;
    }
  },

  /** Adds names to status.children that were never ours. */
  async litter(field, random) {
    const api = field.api(random.pick(field.teams));
    const [live] = await api.list(foo);
    if (live === undefined) return;
    const names = [
      '..',
      'A B%',
      'bystander',
      ...Array.from({ length: 60 }, (_, at) => `litter-${at}`),
    ];
    const children = names.map((name) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name }));
    await api.patch(foo, live.metadata.name, { status: { children } }, { subresource: 'status' });
  },

  /** Writes false conditions, generations and fields into a status. */
  async slander(field, random) {
    const api = field.api(random.pick(field.teams));
    const [live] = await api.list(foo);
    if (live === undefined) return;
    const status = random.pick<JsonObject>([
      { observedGeneration: 9_000 },
      { conditions: null },
      { children: null },
      { availableReplicas: 77 },
    ]);
    await api.patch(foo, live.metadata.name, { status }, { subresource: 'status' });
  },
};

/** Builds a patch as text, because JSON.stringify would overflow the stack. */
function deepManagers(levels: number): string {
  const fields = `${'{"f:data":'.repeat(levels)}{}${'}'.repeat(levels)}`;
  const entryOf = (manager: string, operation: string): string =>
    `{"manager":"${manager}","operation":"${operation}","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${fields}}`;
  const entries = [
    entryOf('before-first-apply', 'Update'),
    entryOf('serverless-reconciler', 'Apply'),
  ];
  return `[{"op":"replace","path":"/metadata/managedFields","value":[${entries.join()}]}]`;
}

function isRefused(error: unknown): false {
  if (error instanceof RefusedError) return false;
  throw error;
}
