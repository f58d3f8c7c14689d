import { customResourceDefinition } from '../../infra/generate/crd.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource, type JsonObject, type ResourceType } from '../../shared/kubernetes.ts';
import { namespaceType } from '../scenarios/built-in-kinds.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { eventually } from '../scenarios/eventually.ts';
import { kinds } from '../support/config.ts';
import type { Actor } from './actors.ts';
import { letGo } from './drifters.ts';
import type { Field } from './field.ts';
import { provideVolumes } from './volumes.ts';

const timeoutMs = 300_000;

/** Actors that delete and restore CRDs and namespaces. */
export const definitionChurn = (field: Field): readonly Actor[] => [
  {
    name: 'definition remover',
    everyMs: 40_000,
    act: async (random) => replaceDefinition(field, random.pick(kinds)),
  },
  ...(field.ground === 'real'
    ? [{ name: 'provisioner', everyMs: 10_000, act: () => provideVolumes(field.api()) }]
    : []),
  { name: 'namespace remover', everyMs: 25_000, act: () => replaceNamespace(field) },
];

async function replaceDefinition(field: Field, kind: Kind): Promise<void> {
  const api = field.api();
  const name = groupResource(kind);
  await api.remove(definitionType, name);
  await gone(field, definitionType, name);
  const { metadata = {}, spec = {} } = customResourceDefinition(kind) as unknown as Definition;
  await eventually(() => api.apply(definitionType, name, { metadata, spec }), timeoutMs);
  await eventually(() => field.api(field.tenant).list(kind), timeoutMs);
}

interface Definition {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
}

async function replaceNamespace(field: Field): Promise<void> {
  const api = field.api();
  await api.remove(namespaceType, field.fleeting);
  await gone(field, namespaceType, field.fleeting);
  await eventually(() => api.create(namespaceType, field.fleeting, {}), timeoutMs);
}

/** Waits until an object is gone, removing foreign finalizers meanwhile. */
const gone = (field: Field, type: ResourceType, name: string): Promise<void> =>
  eventually(async () => {
    if ((await field.api().find(type, name)) === undefined) return;
    for (const namespace of field.teams) await letGo(field.api(namespace));
    throw new Error(`${type.kind} ${name} is still there`);
  }, timeoutMs);
