import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { kinds } from '../../shared/kinds/all.ts';
import type { Kind } from '../../shared/kinds/define-kind.ts';
import { groupResource, type JsonObject } from '../../shared/kubernetes.ts';
import { namespaceType } from '../scenarios/built-in-kinds.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { eventually } from '../scenarios/eventually.ts';
import type { Actor } from './actors.ts';
import { tidy } from './drifters.ts';
import type { Field } from './field.ts';

const minute = 60_000;

/** Whoever takes away definitions and namespaces, and puts them back. */
export const upheavalsOf = (field: Field): readonly Actor[] => [
  {
    name: 'definition remover',
    everyMs: 40_000,
    act: async (random) => replaceDefinition(field, random.pick(kinds)),
  },
  { name: 'namespace remover', everyMs: 25_000, act: () => replaceNamespace(field) },
];

async function replaceDefinition(field: Field, kind: Kind): Promise<void> {
  const api = field.api();
  const name = groupResource(kind);
  await api.remove(definitionType, name);
  await eventually(async () => {
    if ((await api.find(definitionType, name)) !== undefined)
      throw new Error(`${name} is still there`);
  }, minute);
  const { metadata, spec } = customResourceDefinition(kind) as unknown as Readonly<
    Record<string, JsonObject>
  >;
  await api.apply(definitionType, name, { metadata: metadata ?? {}, spec: spec ?? {} });
  await eventually(() => field.api(field.tenant).list(kind), minute);
}

async function replaceNamespace(field: Field): Promise<void> {
  const api = field.api();
  await api.remove(namespaceType, field.fleeting);
  await eventually(async () => {
    if ((await api.find(namespaceType, field.fleeting)) === undefined) return;
    await tidy(field.api(field.fleeting));
    throw new Error(`namespace ${field.fleeting} is still there`);
  }, minute);
  await api.create(namespaceType, field.fleeting, {});
}
