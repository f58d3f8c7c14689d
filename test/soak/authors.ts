import type { Random } from '@serverless-reconciler/local-cluster/random';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { permitted } from '../properties/disturb.ts';
import { kinds } from '../support/config.ts';
import type { Actor } from './actors.ts';
import type { Field } from './field.ts';

/** Names of resources. A ContainerApp and a Database share a name, so that both desire the same Service. */
const names: Readonly<Record<string, readonly string[]>> = {
  Website: ['w', 'x'],
  Application: ['p', 'q'],
  ContainerApp: ['c', 'd'],
  Database: ['d', 'e'],
  Foo: ['f', 'g', 'h'],
};

/** Names that Foos give their Deployments; they collide with each other and with a Website. */
const deploymentNames = ['a', 'b', 'c', 'w'];

const specs: Readonly<Record<string, (random: Random, field: Field) => JsonObject>> = {
  Website: (random, { nodePort }) => ({
    imageTag: random.pick(['v1', 'v2', 'v3']),
    nodePort: nodePort(),
  }),
  Application: (random) => ({
    greeting: random.pick(['Hello', 'World', 'Moin']),
    amountPods: random.below(3),
    image: random.pick(['greeter:1', 'greeter:2']),
    version: random.pick(['1.0.0', '2']),
  }),
  ContainerApp: (random) => ({
    image: random.pick(['nginx:1', 'nginx:2']),
    minReplicas: 1 + random.below(2),
    maxReplicas: 2 + random.below(2),
    endpoints: endpointsBy(random),
  }),
  Database: (random) => ({
    image: random.pick(['postgres:14', 'postgres:15']),
    replicas: 1 + random.below(2),
    storage: { size: '1Gi' },
    databaseName: 'mydb',
    username: 'admin',
  }),
  Foo: (random) => ({
    deploymentName: random.chance(0.05) ? '' : random.pick(deploymentNames),
    // null removes the field in an edit.
    replicas: random.chance(0.3) ? null : 1 + random.below(3),
  }),
};

function endpointsBy(random: Random): readonly Json[] {
  const paths = ['/', '/a', '/a/b', '/c'].filter(() => random.chance(0.5));
  return paths.map((path) => ({ path, scopes: ['u', 'v'].filter(() => random.chance(0.4)) }));
}

/** Makes an edit of some fields of a spec, without immutable ones. */
function editOf(kind: Kind, random: Random, field: Field): JsonObject {
  const spec = specs[kind.kind]?.(random, field) ?? {};
  const entries = Object.entries(spec).filter(
    ([name]) => !['storage', 'databaseName', 'username'].includes(name) && random.chance(0.6),
  );
  return Object.fromEntries(entries);
}

const withoutNulls = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null));

/** Actors that create, edit, rename, suspend and delete resources of all kinds. */
export const authorsOf = (field: Field): readonly Actor[] =>
  kinds.map((kind) => ({
    name: `author of ${kind.plural}`,
    everyMs: 2_500,
    async act(random) {
      const api = field.api(random.pick(field.teams));
      const name = random.pick(names[kind.kind] ?? []);
      const live = await api.find(kind, name);
      if (live === undefined) {
        const spec = withoutNulls(specs[kind.kind]?.(random, field) ?? {});
        await api.create(kind, name, { spec });
        return;
      }
      const choice = random.below(20);
      if (choice === 0)
        await api.remove(kind, name, random.pick(['Background', 'Foreground', 'Orphan']));
      else if (choice === 1) await api.remove(kind, name);
      else if (choice < 4) await suspend(api, kind, { name, on: choice === 2 });
      else if (choice === 4) await api.patch(kind, name, { metadata: { labels: { seen: 'yes' } } });
      else await api.patch(kind, name, { spec: editOf(kind, random, field) });
      // A hasty author corrects the edit at once.
      if (random.chance(0.2))
        await permitted(api.patch(kind, name, { spec: editOf(kind, random, field) }));
    },
  }));

const suspend = (
  api: ReturnType<Field['api']>,
  kind: Kind,
  { name, on }: { readonly name: string; readonly on: boolean },
) =>
  api.patch(kind, name, {
    metadata: { annotations: { 'serverless-reconciler/suspend': on ? 'true' : null } },
  });

/** Resumes every suspended resource, because those are not checked. */
export async function resumeAll(field: Field): Promise<void> {
  for (const namespace of field.teams) {
    const api = field.api(namespace);
    for (const kind of kinds) {
      for (const { metadata } of await api.list(kind)) {
        if (metadata.annotations?.['serverless-reconciler/suspend'] === undefined) continue;
        await permitted(suspend(api, kind, { name: metadata.name, on: false }));
      }
    }
  }
}
